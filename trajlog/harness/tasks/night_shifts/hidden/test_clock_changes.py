import io

from plan_report import main
from shifts.pay import by_person, by_week
from shifts.plan import Plan
from shifts.rules import problems
from shifts.zone import load_zone


def plan(*lines, zone="Berlin"):
    return Plan(lines, load_zone("zones.json", zone))


def hours(*lines, zone="Berlin"):
    return {person: (h.minutes, h.night) for person, h in by_person(plan(*lines, zone=zone)).items()}


def test_both_nights_in_hours():
    got = hours("2024-03-30 22:00-06:00 Ann w", "2024-10-26 22:00-06:00 Bob w", "2024-10-27 22:00-06:00 Cid w")
    assert got == {"Ann": (420, 360), "Bob": (540, 480), "Cid": (480, 420)}


def test_shift_given_by_its_length():
    p = plan("2024-03-30 22:00 8h Ann w", "2024-10-26 22:00 8h Bob w", "2024-10-27 01:30 1.5h Cid x")
    assert [p.show(shift) for shift in p.shifts] == [
        "Sat 30.03. 22:00-07:00 Ann w",
        "Sat 26.10. 22:00-05:00 Bob w",
        "Sun 27.10. 01:30-02:00 Cid x",
    ]
    assert hours("2024-10-26 22:00 8h Bob w") == {"Bob": (480, 420)}


def test_second_half_past_two():
    got = hours("2024-10-27 02:30-08:00 A x", "2024-10-27 02:30*-08:00 B y", "2024-10-27 02:00-02:30* C z")
    assert got == {"A": (390, 270), "B": (330, 210), "C": (90, 90)}


def test_clashes_in_the_repeated_hour():
    p = plan("2024-10-27 02:00-02:45 A gate", "2024-10-27 02:15*-05:00 B gate", "2024-10-27 02:45-02:30* C gate")
    assert problems(p) == ["Sun 27.10. 02:15-05:00 B gate: 0:15 together with Sun 27.10. 02:45-02:30 C gate"]


def test_rest_and_long_shifts():
    p = plan(
        "2024-03-30 08:00-19:00 Ann w",
        "2024-03-31 06:00-10:00 Ann w",
        "2024-10-26 20:00-06:00 Bob w",
        "2024-10-26 16:00-20:00 Eve x",
        "2024-10-27 06:00-07:00 Eve x",
    )
    assert problems(p) == [
        "Sat 30.03. 08:00-19:00 Ann w: 11:00 hours",
        "Sat 26.10. 20:00-06:00 Bob w: 11:00 hours",
        "Sun 31.03. 06:00-10:00 Ann w: only 10:00 hours of rest",
    ]


def test_half_hour_change_and_weeks():
    lines = ["2024-04-06 22:00-06:00 Kim w", "2024-10-05 22:00-06:00 Kim w", "2024-10-06 22:00-06:00 Kim w"]
    p = plan(*lines, zone="Lord Howe")
    assert (by_week(p, "Kim"), hours(*lines, zone="Lord Howe")) == (
        {"2024-W14": 510, "2024-W40": 930},
        {"Kim": (1440, 1260)},
    )


def test_report_of_a_swallowed_hour(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("2024-03-31 02:30-04:30 Ann w\n2024-03-31 01:00-03:00 Bob v\n", encoding="utf-8")
    out = io.StringIO()
    assert (main([str(path), "--rate", "1999"], out), out.getvalue().splitlines()) == (
        0,
        [
            "Sun 31.03. 01:00-03:00 Bob v",
            "Sun 31.03. 03:30-04:30 Ann w",
            "Ann    1:00 (1:00 at night) 24.99",
            "Bob    1:00 (1:00 at night) 24.99",
        ],
    )
