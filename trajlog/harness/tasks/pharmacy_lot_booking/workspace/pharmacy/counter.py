"""The counter: hands out what is prescribed and orders what runs low."""

from pharmacy.prescriptions import parse
from pharmacy.prices import PriceList
from pharmacy.stock import OutOfStock, Stock


class Counter:
    """`levels` is a dict of drug and the units below which it is ordered."""

    def __init__(self, levels, stock=None, prices=None):
        self.stock = stock or Stock()
        self._prices = prices or PriceList()
        self._levels = dict(levels)
        self._served = set()

    def dispense(self, text, day):
        """The labels of a prescription, one for each item."""
        prescription = parse(text)
        if prescription.number in self._served:
            raise ValueError(f"prescription {prescription.number} was served already")
        for drug, units in prescription.needed().items():
            if self.stock.units(drug, day) < units:
                raise OutOfStock(f"{drug}: {units} units wanted")
        labels = []
        plan = [(item, self.stock.pick(item.drug, item.units, day)) for item in prescription.items]
        for item, picks in plan:
            for lot, units in picks:
                self.stock.take(lot, units, day)
            labels.append(self._label(prescription, item, picks))
        self._served.add(prescription.number)
        return labels

    def receipt(self, text, age=None):
        """What a prescription costs, as text."""
        prescription = parse(text)
        needed = prescription.needed()
        total, part = self._prices.total(needed), self._prices.to_pay(needed, age)
        return f"{prescription.patient}: {total / 100:.2f}, to pay {part / 100:.2f}"

    def to_order(self, day):
        """Drugs that are below their level, with the units that are missing."""
        missing = {drug: level - self.stock.units(drug, day) for drug, level in self._levels.items()}
        return {drug: units for drug, units in sorted(missing.items()) if units > 0}

    def evening(self, day):
        """What has to be done in the evening, as lines."""
        lines = [f"throw away {units} of {lot}" for lot, units in self.stock.write_off(day)]
        self.stock.clear()
        lines += [f"order {units} {drug}" for drug, units in self.to_order(day).items()]
        return lines

    @staticmethod
    def _label(prescription, item, picks):
        lots = " + ".join(f"{units} of {lot.name}" for lot, units in picks)
        return f"{prescription.patient}: {item.units} {item.drug} ({lots})"
