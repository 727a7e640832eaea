from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from stock.cli import run
from stock.compare import compare
from stock.item import Item
from stock.snapshot import Snapshot, SnapshotError

MORNING = Path(__file__).parent / "data" / "morning.csv"


@pytest.fixture
def morning():
    return Snapshot.loads(MORNING.read_text(encoding="utf-8"))


def test_file_loads(morning):
    assert [(item.sku, item.counted, item.note) for item in morning] == [
        ("A-10", 40, None), ("B-20", 14, "left; shelf"), ("C-30", None, "\\new")
    ]
    assert morning.get("B-20").best_before == date(2024, 6, 9)
    assert morning.dumps() == MORNING.read_text(encoding="utf-8").replace('"left; shelf"', '"left; shelf"')


def test_sold_out(morning):
    evening = Snapshot.loads(morning.dumps())
    evening.get("B-20").counted = 0
    evening = Snapshot.loads(evening.dumps())
    assert [str(change) for change in compare(morning, evening)] == ["B-20 counted: 14 -> 0"]


def test_commands(tmp_path):
    lines = []
    assert run(["value", str(MORNING)], lines.append) == 0
    assert run(["open", str(MORNING)], lines.append) == 0
    assert run(["open", str(tmp_path / "none.csv")], lines.append) == 1
    assert lines[:2] == ["102.70 (1 unknown)", "C-30"]


def test_price_with_digits():
    loaded = Snapshot.loads(Snapshot("now", [Item("x", "X", 3, Decimal("1.50"))]).dumps())
    assert str(loaded.get("x").value()) == "4.50"


def test_bad_cell():
    with pytest.raises(SnapshotError, match="line 3"):
        Snapshot.loads("snapshot;t\nsku;counted\na;many\n")
