import io
from datetime import UTC, datetime

import pytest
from plan_report import main
from shifts.pay import by_person
from shifts.plan import Plan
from shifts.spans import Span
from shifts.zone import load_zone


def run(tmp_path, text, *options):
    path = tmp_path / "plan.txt"
    path.write_text(text, encoding="utf-8")
    out = io.StringIO()
    code = main([*options, str(path)], out)
    return code, out.getvalue().splitlines()


def test_ordinary_nights(tmp_path):
    plan = "2024-02-28 22:00-06:00 Ann ward\n2024-02-29 17:30 8.5h Ann ward\n2024-02-29 21:00-23:30 Bob gate\n"
    assert run(tmp_path, plan) == (
        0,
        [
            "Wed 28.02. 22:00-06:00 Ann ward",
            "Thu 29.02. 17:30-02:00 Ann ward",
            "Thu 29.02. 21:00-23:30 Bob gate",
            "Ann   16:30 (10:00 at night) 380.00",
            "Bob    2:30 (0:30 at night) 52.50",
        ],
    )


def test_problems(tmp_path):
    plan = "2024-06-01 08:00-18:30 Ann ward\n2024-06-01 18:30-20:00 Ann gate\n2024-06-01 17:00-19:00 Bob ward\n"
    code, lines = run(tmp_path, plan, "--zone", "Tokyo")
    assert (code, lines[5:]) == (
        1,
        [
            "! Sat 01.06. 08:00-18:30 Ann ward: 10:30 hours",
            "! Sat 01.06. 18:30-20:00 Ann gate: only 0:00 hours of rest",
            "! Sat 01.06. 17:00-19:00 Bob ward: 1:30 together with Sat 01.06. 08:00-18:30 Ann ward",
        ],
    )


def test_night_of_the_change_in_march():
    plan = Plan(["2024-03-30 22:00-06:00 Ann ward"], load_zone("zones.json", "Berlin"))
    hours = by_person(plan)["Ann"]
    assert (hours.minutes, hours.night) == (420, 360)


def test_clock_times():
    zone = load_zone("zones.json", "Berlin")
    moments = [datetime(2024, 3, 31, 0, 59, tzinfo=UTC), datetime(2024, 3, 31, 1, tzinfo=UTC)]
    assert [f"{zone.local(moment):%H:%M %z}" for moment in moments] == ["01:59 +0100", "03:00 +0200"]
    assert Span(*moments).minutes == 1


@pytest.mark.parametrize("line", ["2024-06-01 8:00-9:00 A b", "2024-06-01 25:00-26:00 A b", "2024-06-01 08:00 A b"])
def test_bad_lines(tmp_path, line):
    code, lines = run(tmp_path, line)
    assert code == 2 and lines[0].startswith("error: no ")
