from datetime import date
from decimal import Decimal

from stock.cli import run
from stock.compare import compare
from stock.item import Item
from stock.snapshot import Snapshot


def again(*items):
    return list(Snapshot.loads(Snapshot("t", items).dumps()))


def test_free_items():
    loaded = again(Item("a", "Bag", 0, Decimal("0.00")), Item("b", "Leaflet", 12, Decimal("0")))
    assert [(item.counted, str(item.price), str(item.value())) for item in loaded] == [
        (0, "0.00", "0.00"), (12, "0", "0")
    ]


def test_no_is_not_the_same_as_not_set():
    loaded = again(Item("a", "A", is_cooled=False), Item("b", "B", is_cooled=True), Item("c", "C"))
    assert [item.is_cooled for item in loaded] == [False, True, None]
    assert Snapshot("t", loaded).dumps().split("\n")[2:5] == [
        r"a;A;\N;\N;no;\N;\N", r"b;B;\N;\N;yes;\N;\N", r"c;C;\N;\N;\N;\N;\N"
    ]


def test_texts():
    notes = ["", "\\N", "\\", "0", "two\nlines; \"q\"", None]
    loaded = again(*(Item(str(number), "", note=note) for number, note in enumerate(notes)))
    assert [item.note for item in loaded] == ["", "\\N", "\\", "0", "two\nlines; \"q\"", None]
    assert [item.name for item in loaded] == ["", "", "", "", "", ""]


def test_comparison_of_files(tmp_path):
    old = Snapshot("m", [Item("a", "A", 3, note="x"), Item("b", "B", 0, is_cooled=True), Item("c", "C")])
    new = Snapshot("e", [Item("a", "A", 0, note=""), Item("b", "B", 0, is_cooled=False), Item("d", "")])
    for name, snapshot in (("old", old), ("new", new)):
        (tmp_path / name).write_text(snapshot.dumps(), encoding="utf-8")
    lines = []
    run(["compare", str(tmp_path / "old"), str(tmp_path / "new")], lines.append)
    assert lines == [
        "a counted: 3 -> 0", "a note: 'x' -> ''", "b is_cooled: yes -> no", "c item: 'C' -> not set",
        "d item: not set -> ''",
    ]


def test_nothing_to_count_again():
    items = [Item(f"s{i}", "n", counted=i, best_before=date(2024, 1, i + 1)) for i in range(3)]
    loaded = Snapshot.loads(Snapshot("t", items).dumps())
    assert loaded.to_count() == []
    assert list(compare(Snapshot("t", items), loaded)) == []
    assert [(i.counted, i.best_before.isoformat()) for i in loaded] == [
        (0, "2024-01-01"), (1, "2024-01-02"), (2, "2024-01-03")
    ]
