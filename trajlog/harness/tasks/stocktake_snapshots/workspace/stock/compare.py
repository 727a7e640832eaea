"""What changed between two snapshots."""

from dataclasses import dataclass

from stock.item import FIELD_NAMES


@dataclass(frozen=True)
class Change:
    sku: str
    field: str
    before: object
    after: object

    def __str__(self):
        return f"{self.sku} {self.field}: {_shown(self.before)} -> {_shown(self.after)}"


def _shown(value):
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, str) else str(value)


def compare(before, after):
    for item in before:
        other = after.get(item.sku)
        if other is None:
            yield Change(item.sku, "item", item.name, None)
            continue
        for name in FIELD_NAMES:
            old, new = getattr(item, name), getattr(other, name)
            if old != new:
                yield Change(item.sku, name, old, new)
    for item in after:
        if before.get(item.sku) is None:
            yield Change(item.sku, "item", None, item.name)
