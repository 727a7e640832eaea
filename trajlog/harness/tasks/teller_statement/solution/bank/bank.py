"""The bank: many tellers (threads) work on the same accounts."""

import threading

from bank.account import KINDS, Account, BankError
from bank.locking import by_number, holding


class Bank:
    def __init__(self, lock_factory=threading.Lock):
        self._lock_factory = lock_factory
        self._accounts = {}

    def open(self, number, owner, kind="giro", cents=0):
        if kind not in KINDS:
            raise BankError(f"no accounts of kind {kind!r}")
        if number in self._accounts:
            raise BankError(f"account {number} exists")
        account = Account(number, owner, kind, self._lock_factory())
        if cents:
            account.book(cents, "opened")
        self._accounts[number] = account
        return account

    def account(self, number):
        try:
            return self._accounts[number]
        except KeyError:
            raise BankError(f"no account {number}") from None

    def of_owner(self, owner):
        return [account for account in self._accounts.values() if account.owner == owner]

    def transfer(self, source, target, cents, text=""):
        if cents <= 0:
            raise BankError("a transfer needs an amount")
        if source == target:
            raise BankError("source and target are the same")
        giver, taker = self.account(source), self.account(target)
        with holding(by_number([giver, taker])):
            giver.book(-cents, text or f"to {target}")
            taker.book(cents, text or f"from {source}")

    def sweep(self, owner, target):
        """Move all that the other accounts of `owner` hold to `target`. Loans stay as they are."""
        goal = self.account(target)
        others = [each for each in self.of_owner(owner) if each is not goal and each.kind != "loan"]
        moved = 0
        with holding(by_number([*others, goal])):
            for account in others:
                cents = account.balance
                if cents > 0:
                    account.book(-cents, "swept")
                    goal.book(cents, f"swept from {account.number}")
                    moved += cents
        return moved

    def statement(self):
        """All balances at one moment, savings first: rows (kind, number, owner, cents)."""
        accounts = sorted(self._accounts.values(), key=lambda each: (KINDS.index(each.kind), each.number))
        with holding(by_number(accounts)):
            return [(each.kind, each.number, each.owner, each.balance) for each in accounts]
