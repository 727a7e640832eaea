"""Numbers about a block of samples."""


def peak(samples):
    return max(map(abs, samples))


def level(samples):
    """Mean deviation from the mean."""
    middle = sum(samples) / len(samples)
    return sum(abs(sample - middle) for sample in samples) / len(samples)


class SlowLevel:
    """A level that follows slowly; new values count with `weight`."""

    def __init__(self, weight=0.25, value=None):
        self.weight = weight
        self.value = value

    def ratio(self, current):
        """How far `current` stands out."""
        if not self.value:
            return 1.0
        return current / self.value

    def feed(self, current):
        if self.value is None:
            self.value = current
        else:
            self.value += self.weight * (current - self.value)
