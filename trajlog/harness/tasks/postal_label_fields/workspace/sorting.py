"""From labels to bins."""

from labels import cents
from reading import read_labels


class Sorter:
    """`bins` is a dict of bin name and range of zones; the rest goes to `manual`."""

    def __init__(self, bins):
        self._bins = dict(bins)
        self.counts = dict.fromkeys([*bins, "manual"], 0)
        self.takings = 0

    def bin_of(self, label):
        for name, zones in self._bins.items():
            if label.zone in zones:
                return name
        return "manual"

    def feed(self, data):
        """Sort a roll; pairs of postcode and bin."""
        sorted_labels = []
        for label in read_labels(data):
            name = self.bin_of(label)
            self.counts[name] += 1
            self.takings += cents(label)
            sorted_labels.append((label.postcode, name))
        return sorted_labels

    def busiest(self):
        return max(self.counts, key=self.counts.get)
