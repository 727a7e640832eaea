import pytest
from ledger.book import Book
from ledger.position import Position, ShortPosition
from ledger.report import best_and_worst, by_year, open_lots


def position(*costs):
    p = Position("P")
    for number, cost in enumerate(costs):
        p.put(f"d{number}", 1, cost)
    return p


def test_gifts_and_sales_alternate():
    book = Book.of(
        "d1 buy A 2 @ 1.00\nd2 buy A 2 @ 2.00\nd3 buy A 3 @ 3.50\n"
        "d4 gift A 1\nd5 sell A 2 @ 5.00\nd6 gift A 2\nd7 sell A 2 @ 5.00"
    )
    assert book.given == [("A", "d1", 100), ("A", "d2", 200), ("A", "d3", 350)]
    assert (book.gains(), book.holdings()) == (["d5 A 7.00", "d7 A 3.00"], {})


def test_lots_after_taking_one_by_one():
    p = Position("Q")
    p.put("a", 3, 100)
    p.put("b", 2, 150)
    taken = [share.cost for _ in range(4) for share in p.take(1)]
    assert (taken, p.lots()) == ([100, 100, 100, 150], [("b", 1, 150)])


def test_refused_sale_takes_nothing():
    p = position(7, 8, 9)
    with pytest.raises(ShortPosition):
        p.take(4)
    assert ([share.cost for share in p.take(3)], len(p)) == ([7, 8, 9], 0)


def test_nothing_taken_nothing_lost():
    p = position(5, 6)
    p.take(0)
    p.take(0)
    assert (p.lots(), p.cost) == ([("d0", 1, 5), ("d1", 1, 6)], 11)


def test_years():
    book = Book.of(
        "2022-05-01 buy A 3 @ 4.00\n2022-06-01 buy B 2 @ 9.00\n2022-07-01 buy A 2 @ 6.00\n2022-08-01 sell A 1 @ 5.00\n"
        "2023-01-05 sell A 2 @ 3.50\n2023-01-06 sell B 1 @ 8.00\n2023-02-01 sell A 1 @ 9.00"
    )
    assert [str(total) for total in by_year(book)] == [
        "2022: 1 sales, 5.00 for 4.00, net 1.00",
        "2023: 3 sales, 24.00 for 23.00, net 1.00",
    ]
    assert (best_and_worst(book), open_lots(book, {"A": 700})) == (
        [("2023-02-01", "A"), ("2023-01-06", "B")],
        ["A     2022-07-01    1       6.00 1.00", "B     2022-06-01    1       9.00"],
    )


def test_split_then_sales():
    book = Book.of("d1 buy A 1 @ 10.00\nd2 buy A 2 @ 7.00\nd3 split A 3\nd4 sell A 2 @ 4.00\nd5 sell A 2 @ 4.00")
    assert (book.gains(), book.position("A").lots()) == (["d4 A 1.33", "d5 A 2.33"], [("d2", 5, 1166)])
