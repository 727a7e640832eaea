"""Example of use: accounts and bookings."""

from memdb import Database


class Declined(Exception):
    pass


def make_bank():
    db = Database()
    db.create("accounts", ["owner", "cents"], unique=["owner"])
    db.create("bookings", ["account", "cents", "text"])
    return db


def open_account(db, owner, cents=0):
    with db.transaction():
        return db["accounts"].insert(owner=owner, cents=cents)


def book(db, owner, cents, text):
    with db.transaction():
        key = db["accounts"].find("owner", owner)
        if key is None:
            raise Declined(f"there is no account of {owner}")
        balance = db["accounts"].get(key)["cents"] + cents
        db["bookings"].insert(account=key, cents=cents, text=text)
        db["accounts"].update(key, cents=balance)
        if balance < 0:
            raise Declined(f"{owner} lacks {-balance}")


def transfer(db, source, target, cents, fee=0):
    """Move money. The fee is taken first, and given back if the transfer fails."""
    with db.transaction():
        if fee:
            key = db["accounts"].find("owner", source)
            db["accounts"].update(key, cents=db["accounts"].get(key)["cents"] - fee)
        book(db, source, -cents, f"to {target}")
        book(db, target, cents, f"from {source}")


def balances(db):
    return {row["owner"]: row["cents"] for _, row in db["accounts"].select()}
