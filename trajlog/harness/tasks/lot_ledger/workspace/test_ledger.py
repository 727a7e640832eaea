import pytest
from ledger.book import Book
from ledger.events import BadLine
from ledger.money import cents, show
from ledger.position import ShortPosition
from ledger.report import by_year, open_lots

BOUGHT = """
2024-01-05 buy ACME 2 @ 10.00
2024-01-20 buy ACME 3 @ 20.00
2024-02-01 sell ACME 1 @ 25.00
"""


def test_one_sale():
    assert Book.of(BOUGHT).gains() == ["2024-02-01 ACME 15.00"]


def test_sales_follow_the_purchases():
    book = Book.of(BOUGHT + "2024-02-02 sell ACME 1 @ 25.00\n2024-02-03 sell ACME 2 @ 25.00")
    assert book.gains() == ["2024-02-01 ACME 15.00", "2024-02-02 ACME 15.00", "2024-02-03 ACME 10.00"]
    assert book.holdings() == {"ACME": (1, "20.00")}


def test_too_many():
    with pytest.raises(ShortPosition, match="short of ACME: 4 held, 9 wanted"):
        Book.of(BOUGHT + "2024-02-02 sell ACME 9 @ 25.00")


def test_split_shares_out_the_cost():
    book = Book.of("2024-01-01 buy X 2 @ 10.00\n2024-01-02 split X 3")
    assert [share.cost for share in book.position("X").take(4)] == [334, 333, 333, 334]


def test_reports():
    book = Book.of(BOUGHT)
    assert [str(total) for total in by_year(book)] == ["2024: 1 sales, 25.00 for 10.00, net 15.00"]
    assert open_lots(book, {"ACME": 2250}) == [
        "ACME  2024-01-05    1      10.00 12.50",
        "ACME  2024-01-20    3      60.00 7.50",
    ]


def test_amounts():
    assert [cents("12.5"), cents("-0.07"), show(-705), show(30)] == [1250, -7, "-7.05", "0.30"]
    with pytest.raises(BadLine):
        Book.of("2024-01-01 gift X 2 @ 10.00")
