from datetime import date

import pytest
from loans.book import Book, PaymentError, parse_day
from loans.calendar import add_months
from loans.schedule import next_due, schedule, total_interest
from loans.terms import Terms, TermsError


def due(text):
    return [str(payment.due) for payment in schedule(Terms.parse(text))]


def test_ordinary_day():
    payments = schedule(Terms.parse("1000.00 at 6% from 2024-01-15 in 3"))
    assert [str(payment) for payment in payments] == [
        "2024-02-15    338.43     5.10     666.67",
        "2024-03-15    336.51     3.18     333.34",
        "2024-04-15    335.04     1.70       0.00",
    ]
    assert total_interest(payments) == 998


def test_last_day_of_a_long_month():
    assert due("1200 at 5.25% from 2024-01-31 in 5") == [
        "2024-02-29",
        "2024-03-31",
        "2024-04-30",
        "2024-05-31",
        "2024-06-30",
    ]


def test_one_step_of_months():
    dates = [add_months(date(2023, 12, 31), months) for months in (1, 2, 12, 14)]
    assert [str(day) for day in dates] == ["2024-01-31", "2024-02-29", "2024-12-31", "2025-02-28"]


def test_next_due():
    payments = schedule(Terms.parse("600 at 1% from 2024-05-03 in 6 every 3"))
    assert str(next_due(payments, date(2024, 11, 3))) == "2024-11-03    101.26     1.26     400.00"
    assert next_due(payments, date(2026, 1, 1)) is None


def test_arrears():
    loan = Book().open("car", "1000.00 at 6% from 2024-01-15 in 3")
    loan.pay(parse_day("2024-02-15"), 30000)
    days = list(map(parse_day, ("2024-02-14", "2024-02-20", "2024-03-15")))
    assert [(loan.arrears(day), loan.days_late(day)) for day in days] == [(0, 0), (3843, 5), (37494, 29)]
    with pytest.raises(PaymentError, match="is before"):
        loan.pay(parse_day("2024-02-14"), 5)


def test_bad_terms():
    for text in ("10 at 1% from 2024-01-01 in 3 every 2", "0 at 1% from 2024-01-01 in 3", "10 for 3"):
        with pytest.raises(TermsError):
            Terms.parse(text)
