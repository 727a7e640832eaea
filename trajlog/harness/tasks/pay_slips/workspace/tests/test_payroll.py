import pytest
from payroll.hours import split_overtime, weeks
from payroll.money import PayError, show
from payroll.slip import make_slip
from payroll.tax import tax

WEEK = [f"1,{day},08:00,16:30,30" for day in ("Mon", "Tue", "Wed", "Thu", "Fri")]


def test_round_rate():
    assert str(make_slip("name: Ben\nrate: 21.50\nmeals: -12.5", WEEK)).splitlines() == [
        "Ben",
        "hours           860.00",
        "tax             -50.40",
        "meals           -12.50",
        "net             797.10",
    ]


def test_forty_hours_of_ann():
    assert make_slip("name: Ann\nrate: 19.99", WEEK).lines == [("hours", 79960), ("tax", -4194)]


def test_overtime_and_nights():
    assert split_overtime(weeks([*WEEK, "1,Sat,22:00,01:30", "2,Mon,06:00,14:00"])) == (2880, 210)


def test_tax_brackets():
    assert [tax(amount) for amount in (50000, 50050, 150000, 400025, 500000)] == [0, 7, 14000, 74011, 116000]


def test_bad_input():
    for contract in ("name: X\nrate: ten", "rate: 3", "name X"):
        with pytest.raises(PayError):
            make_slip(contract, WEEK)
    assert show(-7) == "-0.07"
