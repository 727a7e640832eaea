"""Bins with units; units can be reserved by a wave before they are picked."""


class Stock:
    def __init__(self, bins):
        self._bins = {bin_name: [sku, units, 0] for bin_name, sku, units in bins}

    def bins_of(self, sku):
        """(bin, units that are not reserved), in aisle order."""
        found = [(name, units - held) for name, (known, units, held) in self._bins.items() if known == sku]
        return sorted(entry for entry in found if entry[1])

    def reserve(self, bin_name, units):
        self._bins[bin_name][2] += units

    def release(self, bin_name, units):
        self._bins[bin_name][2] -= units

    def remove(self, bin_name, units):
        entry = self._bins[bin_name]
        entry[1] -= units
        entry[2] -= units

    def units(self):
        return {name: (units, held) for name, (_, units, held) in sorted(self._bins.items())}
