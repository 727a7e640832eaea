from loans.book import Book, parse_day
from loans.schedule import schedule, shift, total_interest
from loans.terms import Terms


def due(terms):
    terms = Terms.parse(terms) if isinstance(terms, str) else terms
    return [payment.due.strftime("%y%m%d") for payment in schedule(terms)]


def test_thirtieth_is_not_the_last_day():
    assert due("100 at 0% from 2023-04-30 in 4") == ["230530", "230630", "230730", "230830"]
    assert due("100 at 0% from 2022-12-30 in 4") == ["230130", "230228", "230330", "230430"]


def test_february_starts():
    assert due("100 at 0% from 2024-02-29 in 3") == ["240329", "240429", "240529"]
    assert due("100 at 0% from 2023-02-28 in 2") == ["230328", "230428"]
    assert due("100 at 0% from 2024-02-29 in 5 every 12") == ["250228", "260228", "270228", "280229", "290228"]


def test_quarters():
    assert due("100 at 0% from 2023-08-31 in 5 every 3") == ["231130", "240229", "240531", "240831", "241130"]


def test_grace_keeps_the_day():
    terms = Terms.parse("900 at 3.65% from 2023-12-31 in 3 grace 2")
    assert due(terms) == ["240331", "240430", "240531"]
    assert due(shift(terms, 2)) == ["240531", "240630", "240731"]
    assert [payment.interest for payment in schedule(terms)] == [279, 180, 93]


def test_agenda_and_late_payers():
    book = Book()
    book.open("roof", "900.00 at 0% from 2024-01-31 in 9")
    book.open("boat", "600.00 at 0% from 2023-11-30 in 4 every 3").pay(parse_day("2024-02-29"), 15000)
    book.open("van", "100.00 at 0% from 2024-02-28 in 1")
    day = parse_day("2024-03-30")
    assert (book.agenda(day), book.late(day)) == (
        ["2024-03-31 roof 200.00", "2024-05-30 boat 150.00"],
        {"roof": 30, "van": 2},
    )
    assert (book.agenda(parse_day("2024-05-31")), book.late(parse_day("2024-05-31"))) == (
        ["2024-05-31 roof 400.00", "2024-08-30 boat 300.00"],
        {"roof": 92, "boat": 1, "van": 64},
    )


def test_amounts_follow_the_days():
    payments = schedule(Terms.parse("10000.01 at 7.3% from 2023-01-31 in 4"))
    assert [(p.due.day, p.interest, p.amount, p.balance) for p in payments] == [
        (28, 5600, 255600, 750001),
        (31, 4650, 254650, 500001),
        (30, 3000, 253000, 250001),
        (31, 1550, 251551, 0),
    ]
    assert total_interest(payments) == 14800
