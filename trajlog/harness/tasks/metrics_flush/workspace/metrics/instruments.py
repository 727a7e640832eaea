"""What can be measured."""


class Counter:
    kind = "counter"

    def __init__(self):
        self.total = 0

    def record(self, amount):
        if amount < 0:
            raise ValueError("a counter does not count backwards")
        self.total += amount

    def merge(self, earlier):
        self.total += earlier.total

    def fields(self):
        return {"total": self.total}


class Gauge:
    kind = "gauge"

    def __init__(self):
        self.value = None

    def record(self, value):
        self.value = value

    def merge(self, earlier):
        if self.value is None:
            self.value = earlier.value

    def fields(self):
        return {"value": self.value}


class Histogram:
    kind = "histogram"

    def __init__(self):
        self.values = []

    def record(self, value):
        self.values.append(value)

    def merge(self, earlier):
        self.values[:0] = earlier.values

    def quantile(self, share):
        ranked = sorted(self.values)
        return ranked[min(int(share * len(ranked)), len(ranked) - 1)]

    def fields(self):
        return {
            "count": len(self.values),
            "sum": sum(self.values),
            "p50": self.quantile(0.5),
            "p95": self.quantile(0.95),
        }


KINDS = {each.kind: each for each in (Counter, Gauge, Histogram)}
