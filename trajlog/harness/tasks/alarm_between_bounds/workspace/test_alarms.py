import pytest
from alarms import Monitor, RuleError, parse_rules


def states(rule, rows):
    return [bool(Monitor(f"alarm x: {rule}").feed(0, **row)) for row in rows]


def test_comparisons():
    rows = [{"temp": t, "wet": w} for t in (1, 8) for w in (2, 9)]
    assert states("temp + 1 > 2 * 2 AND wet < 5 or wet is 9 and Not temp >= 8", rows) == [False, True, True, False]


def test_between_alone():
    assert states("temp between 2 and 5", [{"temp": t} for t in (1.9, 2, 5, 5.1)]) == [False, True, True, False]


def test_between_and_more():
    rows = [{"temp": t, "wet": w} for t in (4, 7) for w in (70, 90)]
    assert states("temp between 5 and 10 and wet > 80%", rows) == [False, False, False, True]


def test_for():
    monitor = Monitor("alarm hot: temp > 30C for 1.5m  # patience")
    seen = [monitor.feed(now, temp=temp) for now, temp in ((0, 31), (60, 35), (90, 31), (100, 20), (110, 40))]
    assert (seen, monitor.log) == ([[], [], ["hot"], [], []], ["90 hot on", "100 hot off"])


def test_errors():
    messages = []
    for rule in ("a: temp", "a: 1 < 2 <", "a: temp between 1", "a: (1 < 2) + 3 > 1", "a: temp > 3x", "temp > 1"):
        with pytest.raises(RuleError) as caught:
            parse_rules(f"alarm {rule}")
        messages.append(str(caught.value))
    assert messages == [
        'line 1: condition expected, not a number', 'line 1: end expected, not <',
        'line 1: and expected, not the end', 'line 1: number expected, not a condition',
        "line 1: unknown unit 'x'", 'line 1: no alarm',
    ]
