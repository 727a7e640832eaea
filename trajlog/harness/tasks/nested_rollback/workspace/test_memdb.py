import pytest
from bank_desk import Declined, balances, make_bank, open_account, transfer
from memdb import NotUnique, TransactionError


@pytest.fixture
def db():
    db = make_bank()
    open_account(db, "ada", 500)
    open_account(db, "ben", 100)
    return db


def test_transfer(db):
    transfer(db, "ada", "ben", 200, fee=5)
    assert balances(db) == {"ada": 295, "ben": 300}
    assert [row["text"] for _, row in db["bookings"].select()] == ["to ben", "from ada"]


def test_failed_level_within_a_good_one(db):
    with db.transaction():
        with pytest.raises(ZeroDivisionError), db.transaction():
            db["accounts"].update(1, cents=1 // 0)
        db["accounts"].update(2, cents=50)
    assert balances(db) == {"ada": 500, "ben": 50}


def test_declined_transfer_leaves_no_trace(db):
    for target, amount, fee in (("ben", 600, 0), ("eve", 20, 0), ("eve", 20, 2)):
        with pytest.raises(Declined):
            transfer(db, "ada", target, amount, fee)
    assert balances(db) == {"ada": 500, "ben": 100}
    assert len(db["bookings"]) == 0


def test_calls_after_commit(db):
    calls = []
    with db.transaction():
        with db.transaction():
            db.after_commit(lambda: calls.append("inner"))
        db.after_commit(lambda: calls.append("outer"))
        seen = list(calls)
    assert (seen, calls) == ([], ["inner", "outer"])


def test_errors(db):
    with pytest.raises(NotUnique, match="accounts.owner: 'ada' exists"):
        open_account(db, "ada")
    with pytest.raises(TransactionError):
        db["accounts"].insert(owner="cid")
    assert balances(db) == {"ada": 500, "ben": 100}
