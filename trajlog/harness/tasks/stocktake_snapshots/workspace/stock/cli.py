"""`compare OLD NEW`, `open FILE`, `value FILE`."""

from decimal import Decimal
from pathlib import Path

from stock.compare import compare
from stock.snapshot import Snapshot, SnapshotError


def _read(name):
    return Snapshot.loads(Path(name).read_text(encoding="utf-8"))


def main(argv, write=print):
    match argv:
        case ["compare", old, new]:
            lines = [str(change) for change in compare(_read(old), _read(new))]
        case ["open", name]:
            lines = _read(name).to_count()
        case ["value", name]:
            values = [item.value() for item in _read(name)]
            total = sum((value for value in values if value is not None), Decimal("0.00"))
            lines = [f"{total} ({values.count(None)} unknown)"]
        case _:
            write(__doc__)
            return 2
    for line in lines:
        write(line)
    return 0


def run(argv, write=print):
    try:
        return main(argv, write)
    except (OSError, SnapshotError) as error:
        write(f"error: {error}")
        return 1
