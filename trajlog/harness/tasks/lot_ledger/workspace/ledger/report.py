"""Yearly reports."""

from dataclasses import dataclass

from ledger.money import show


@dataclass
class YearTotal:
    year: str
    proceeds: int = 0
    cost: int = 0
    gains: int = 0
    losses: int = 0
    sales: int = 0

    def add(self, sale):
        self.sales += 1
        self.proceeds += sale.proceeds
        self.cost += sale.cost
        if sale.gain >= 0:
            self.gains += sale.gain
        else:
            self.losses -= sale.gain

    def __str__(self):
        net = show(self.gains - self.losses)
        return f"{self.year}: {self.sales} sales, {show(self.proceeds)} for {show(self.cost)}, net {net}"


def by_year(book):
    """Totals by year, oldest first."""
    totals = {}
    for sale in book.sales:
        year = sale.date.partition("-")[0]
        totals.setdefault(year, YearTotal(year)).add(sale)
    return [totals[year] for year in sorted(totals)]


def best_and_worst(book):
    """The sales with the greatest and the least gain for one share, as (date, symbol)."""
    if not book.sales:
        return None
    ranked = sorted(book.sales, key=lambda sale: sale.gain / sale.quantity)
    return [(sale.date, sale.symbol) for sale in (ranked[-1], ranked[0])]


def open_lots(book, prices):
    """Lines for all lots that are held, with what they would gain at the prices given (in cents)."""
    lines = []
    for symbol, position in sorted(book.positions.items()):
        for date, number, cost in position.lots():
            gain = f" {show(number * prices[symbol] - cost)}" if symbol in prices else ""
            lines.append(f"{symbol:<6}{date} {number:>4} {show(cost):>10}{gain}")
    return lines
