import pytest
from alarms import Monitor, RuleError, parse_rules


def on(rule, **values):
    return "".join(f"{name} " for name in Monitor(f"alarm x: {rule}").feed(0, **values)) or "off"


def test_or_and_not_behind():
    rule = "t between 1 and 2 or u between 3 and 4 and not v between 5 and 6"
    found = [on(rule, t=t, u=u, v=v) for t in (0, 1) for u in (2, 3) for v in (5, 7)]
    assert found == ["off", "off", "off", "x ", "x ", "x ", "x ", "x "]


def test_not_between():
    rule = "t NOT BETWEEN 1 AND 5 And u < 3"
    assert [on(rule, t=t, u=u) for t in (0, 3, 6) for u in (2, 3)] == ["x ", "off", "off", "off", "x ", "off"]


def test_two_in_a_row():
    rule = "t between base - 2 and base + 2 and u between 2 * -m and m and t > u"
    rows = [(10, 1), (12, 3), (13, 1), (8, -6), (8, 9), (7, 0)]
    assert [on(rule, t=t, u=u, base=10, m=3) for t, u in rows] == ["x ", "x ", "off", "x ", "off", "off"]


def test_between_in_brackets_and_with_patience():
    monitor = Monitor("alarm a: (t between 90s and 2m) and (u > 1 or t between 1 and 2) for 10s\n"
                      "alarm b: not t between 0 and 1")
    rows = ((0, 100, 2), (9, 120, 2), (12, 90, 3), (13, 121, 2), (14, 1, 0))
    log = [monitor.feed(now, t=t, u=u) for now, t, u in rows]
    assert (log, monitor.log, monitor.needed()) == (
        [['b'], ['b'], ['a', 'b'], ['b'], []], ['0 b on', '12 a on', '13 a off', '14 b off'],
        ['t', 'u'],
    )


def test_conditions_as_bounds_are_refused():
    messages = []
    for rule in ("t between (1 < 2) and 3", "t between 1 and (2 or 3)", "t between 1 and not 2",
                 "t between 1 and 2 and 3"):
        with pytest.raises(RuleError) as caught:
            parse_rules(f"alarm x: {rule}")
        messages.append(str(caught.value))
    assert messages == [
        'line 1: number expected, not a condition', 'line 1: condition expected, not a number',
        'line 1: unexpected not', 'line 1: condition expected, not a number',
    ]
