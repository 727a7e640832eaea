"""A sale: bids, withdrawals, results."""

from auction.fees import Fees


class SaleError(ValueError):
    """Something the rules of the house do not allow."""


class Sale:
    def __init__(self, catalogue, fees=None):
        self.catalogue = catalogue
        self.fees = fees or Fees()
        self.withdrawn = []

    def bid(self, number, bidder, amount):
        lot = self.catalogue.find(number)
        if lot.best_bid is not None and amount <= lot.best_bid[1]:
            raise SaleError(f"lot {number}: {amount} is not more than {lot.best_bid[1]}")
        lot.bids.append((bidder, amount))

    def withdraw_lot(self, number):
        """Take out one lot and the rest of its set."""
        self._take_out(self.catalogue.find(number))

    def withdraw_estate(self, owner):
        """Take out all lots of an owner, the last one first."""
        return self._withdraw_all(lambda lot: lot.owner == owner)

    def withdraw_unpaid(self, paid):
        """Take out the lots of owners who have not paid the entry."""
        return self._withdraw_all(lambda lot: lot.owner not in paid)

    def _withdraw_all(self, concerned):
        before = len(self.withdrawn)
        for lot in self.catalogue.from_the_end():
            if concerned(lot):
                self._take_out(lot)
        return len(self.withdrawn) - before

    def _take_out(self, lot):
        others = [other for other in self.catalogue.in_set(lot.set_name) if other is not lot]
        for each in (lot, *others):
            self.catalogue.remove(each)
            self.fees.charge(each)
            self.withdrawn.append(str(each))

    def results(self):
        lines = []
        for lot in self.catalogue:
            if lot.is_sold:
                bidder, amount = lot.best_bid
                lines.append(f"{lot} to {bidder} for {amount}")
            else:
                lines.append(f"{lot} unsold")
        return lines

    def takings(self):
        return sum(lot.best_bid[1] for lot in self.catalogue if lot.is_sold)
