import itertools

import json

import pytest
from flow import Flow, FlowError, Runner, Step, dumps, loads
from flow.report import table

ACTIONS = {"const": lambda value: value, "sum": lambda **numbers: sum(numbers.values()),
           "fail": lambda: [][1], "scale": lambda by, n: by * n}


def make_flow(order):
    two = Step("two", "const", {"value": 2})
    five = Step("five", "const", {"value": 5})
    total = Step("total", "sum", {"c": 100}, inputs={"a": two, "b": five})
    broken = Step("broken", "fail", after=[total], fallback=Step("spare", "scale", {"by": 3}, inputs={"n": total}))
    steps = [two, five, total, broken, broken.fallback]
    return Flow("sums", [steps[number] for number in order])


def test_every_order_of_steps():
    results = {json.dumps(Runner(ACTIONS).run(loads(dumps(make_flow(order)))), sort_keys=True)
               for order in itertools.permutations(range(5))}
    assert results == {'{"broken": 321, "five": 5, "spare": 321, "total": 107, "two": 2}'}


def test_fallback_is_the_step_of_the_flow():
    flow = loads(dumps(make_flow([3, 4, 2, 1, 0])))
    Runner(ACTIONS).run(flow)
    assert flow["broken"].fallback is flow["spare"]
    assert table(flow) == (
        "  broken done total\n* spare  done total\n  total  done two,five\n  five   done -\n  two    done -"
    )


def test_reset_reaches_all_steps():
    flow = loads(dumps(make_flow([2, 3, 4, 0, 1])))
    runner = Runner(ACTIONS)
    runner.run(flow)
    flow["two"].params["value"] = 20
    flow.reset()
    assert runner.run(flow) == {"total": 125, "broken": 375, "spare": 375, "two": 20, "five": 5}


def test_text_is_the_same_after_loading():
    text = dumps(make_flow([4, 3, 2, 1, 0]))
    assert dumps(loads(text)) == text
    assert [step.name for step in loads(text)] == ["spare", "broken", "total", "five", "two"]


def test_names_defined_twice_or_never():
    step = {"name": "a", "action": "const"}
    messages = []
    for steps in ([step, step], [{**step, "fallback": "b"}], [{**step, "inputs": {"x": "q"}}, {**step, "name": "b"}],
                  [{"name": "b", "action": "const", "after": ["a"]}, step, step]):
        with pytest.raises(FlowError) as caught:
            loads(json.dumps({"title": "t", "steps": steps}))
        messages.append(str(caught.value))
    assert messages == ["step 'a' is defined twice", "not defined: b", "not defined: q", "step 'a' is defined twice"]
