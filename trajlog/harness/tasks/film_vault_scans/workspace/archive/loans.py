"""Reels that are out of the house."""

from dataclasses import dataclass

from vault import NoReel, Reel


class LoanError(ValueError):
    """A loan that cannot be."""


@dataclass(frozen=True)
class Loan:
    reel: Reel
    shelf: str
    borrower: str


class Loans:
    """Reels go back to the shelf where they were taken from."""

    def __init__(self, shelves, questions, limit=3):
        self._shelves = shelves
        self._questions = questions
        self._limit = limit
        self._loans = {}

    def lend(self, code, borrower):
        if sum(loan.borrower == borrower for loan in self._loans.values()) >= self._limit:
            raise LoanError(f"{borrower} has {self._limit} reels already")
        found = self._questions.find(code)
        if found is None:
            raise NoReel(f"{code} is not in the house")
        shelf, reel = found
        if reel.broken:
            raise LoanError(f"{code} is broken")
        shelf.take(code)
        self._loans[code] = Loan(reel, shelf.name, borrower)

    def give_back(self, code):
        if code not in self._loans:
            raise LoanError(f"{code} was not lent")
        loan = self._loans[code]
        self._shelves[loan.shelf].put(loan.reel)
        del self._loans[code]
        return loan.shelf

    def outside(self):
        """Pairs of code and borrower."""
        return sorted((code, loan.borrower) for code, loan in self._loans.items())
