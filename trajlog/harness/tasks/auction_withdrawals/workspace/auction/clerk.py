"""The clerk's book: lines such as `lot vase smith 100 pair-1`, `bid 3 ann 50`, `withdraw smith`, `pull 3`."""

from auction.lots import Catalogue
from auction.sale import Sale, SaleError


class Clerk:
    def __init__(self):
        self.sale = Sale(Catalogue())
        self.problems = []

    def write(self, line):
        words = line.split()
        try:
            match words:
                case ["lot", title, owner, reserve, *rest]:
                    self.sale.catalogue.add(title, owner, int(reserve), *rest)
                case ["bid", number, bidder, amount]:
                    self.sale.bid(int(number), bidder, int(amount))
                case ["withdraw", owner]:
                    self.sale.withdraw_estate(owner)
                case ["pull", number]:
                    self.sale.withdraw_lot(int(number))
                case _:
                    raise SaleError(f"cannot read {line!r}")
        except (SaleError, LookupError) as problem:
            self.problems.append(str(problem))
        return self

    def write_all(self, lines):
        for line in lines:
            self.write(line)
        return self

    def page(self):
        sale = self.sale
        return [*sale.results(), f"takings {sale.takings()}", *sale.fees.lines(), *self.problems]
