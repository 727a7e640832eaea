import json

import pytest
from flow import Flow, FlowError, Runner, Step, dumps, loads
from flow.report import summary, table

ACTIONS = {
    "const": lambda value: value,
    "add": lambda a, b=1: a + b,
    "divide": lambda a, b: a / b,
    "note": lambda text="ok": text,
}


def order_flow():
    fetch = Step("fetch", "const", {"value": 4})
    check = Step("check", "note", after=[fetch])
    pack = Step("pack", "add", {"b": 10}, after=[check], inputs={"a": fetch})
    ship = Step("ship", "note", {"text": "sent"}, after=[pack])
    return [fetch, check, pack, ship]


def test_flow_runs_and_runs_again_after_loading():
    flow = Flow("order", order_flow())
    assert Runner(ACTIONS).run(flow) == {"fetch": 4, "check": "ok", "pack": 14, "ship": "sent"}
    loaded = loads(dumps(flow))
    assert Runner(ACTIONS).run(loaded) == {"fetch": 4, "check": "ok", "pack": 14, "ship": "sent"}
    assert summary(loaded) == "4 done"


def test_steps_in_another_order():
    fetch, check, pack, ship = order_flow()
    loaded = loads(dumps(Flow("order", [ship, fetch, pack, check])))
    runner = Runner(ACTIONS)
    runner.run(loaded)
    assert runner.log == ["fetch", "check", "pack", "ship"]


def test_fallback():
    zero = Step("zero", "const", {"value": 0})
    spare = Step("spare", "note", {"text": "none"})
    share = Step("share", "divide", {"a": 1}, inputs={"b": zero}, fallback=spare)
    flow = loads(dumps(Flow("f", [zero, spare, share, Step("end", "note", after=[share])])))
    assert Runner(ACTIONS).run(flow) == {"zero": 0, "spare": "none", "share": "none", "end": "ok"}
    assert table(flow).split("\n")[1:3] == ["* spare done -", "  share done zero"]


def test_undefined_name():
    text = json.dumps({"title": "t", "steps": [{"name": "a", "action": "note", "after": ["b", "c"]}]})
    with pytest.raises(FlowError, match="not defined: b, c"):
        loads(text)
