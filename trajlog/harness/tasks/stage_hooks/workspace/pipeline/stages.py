"""The stages of the order import."""

from pipeline.stage import Stage


class Clean(Stage):
    """Strips text fields and drops empty ones."""

    def process(self, record):
        stripped = {
            key: value.strip() if isinstance(value, str) else value for key, value in record.items()
        }
        return {key: value for key, value in stripped.items() if value != ""}


class Price(Stage):
    """Adds `total_cents`."""

    def process(self, record):
        return {**record, "total_cents": record["quantity"] * record["unit_cents"]}


class DiscountPrice(Price):
    """A price less a percentage, rounded down."""

    def __init__(self, percent):
        self.percent = percent

    def process(self, record):
        priced = super().process(record)
        priced["total_cents"] = priced["total_cents"] * (100 - self.percent) // 100
        return priced
