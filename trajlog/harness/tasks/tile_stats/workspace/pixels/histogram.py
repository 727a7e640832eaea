"""Counts of grey levels."""


class Histogram:
    def __init__(self, image):
        self.counts = [0] * (image.maximum + 1)
        for value in image.values():
            self.counts[value] += 1

    @property
    def total(self):
        return sum(self.counts)

    def quantile(self, percent):
        """The lowest level that at least so many percent of the pixels do not exceed."""
        reached = 0
        for level, count in enumerate(self.counts):
            reached += count
            if reached * 100 >= percent * self.total:
                return level
        raise ValueError(f"no quantile of {percent} percent")

    def bins(self, number):
        """Counts in bins of equal width; the level decides by whole numbers."""
        out = [0] * number
        for level, count in enumerate(self.counts):
            out[level * number // len(self.counts)] += count
        return out

    def threshold(self):
        """The level t that best splits into values <= t and > t."""
        total, weighted = self.total, sum(level * count for level, count in enumerate(self.counts))
        best = (-1.0, 0)
        below = below_sum = 0
        for level, count in enumerate(self.counts[:-1]):
            below += count
            below_sum += level * count
            if 0 < below < total:
                distance = below_sum / below - (weighted - below_sum) / (total - below)
                between = round(distance * distance * below * (total - below), 6)
                if between > best[0]:
                    best = (between, level)
        return best[1]
