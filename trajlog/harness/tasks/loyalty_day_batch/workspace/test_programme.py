import pytest
from programme import Programme
from receipts import BookingError
from tally import Store, StoreError


@pytest.fixture
def programme():
    made = Programme()
    made.join("1001", "Ada")
    made.join("1002", "Ben")
    return made


def test_one_line_each(programme):
    assert programme.book_day("buy 1001 49.90  # shoes\n\nbuy 1002 100.00\n") == 2
    assert programme.points() == {"1001": 99, "1002": 200}


def test_two_receipts_on_one_day(programme):
    programme.book_day("buy 1001 10.00\nbuy 1001 20.00\n")
    assert programme.statement("1001") == "Ada (basic): 60 points"


def test_spending(programme):
    programme.book_day("buy 1001 100.00")
    programme.book_day("spend 1001 150 mug")
    assert programme.statement("1001") == "Ada (basic): 50 points, vouchers: mug"


def test_wrong_line(programme):
    with pytest.raises(BookingError, match="line 2: amount '5'"):
        programme.book_day("buy 1001 10.00\nbuy 1002 5")
    assert programme.points() == {"1001": 0, "1002": 0}


def test_one_batch_at_a_time():
    store = Store()
    with store.batch(), pytest.raises(StoreError):
        store.batch()
