from pivots.cli import main
from pivots.pivot import Pivot
from pivots.shares import RankedPivot, SharePivot
from pivots.table import Table


def table():
    rows = [("a", "x", 1), ("a", "y", 3), ("b", "x", 6), ("c", "y", 2)]
    return Table(["name", "kind", "n"], [{"name": name, "kind": kind, "n": n} for name, kind, n in rows])


def test_ranking_follows_the_rows():
    data = table()
    pivot = RankedPivot(data, "name", "kind", "n", top=2)
    shown = [list(pivot.lines())]
    data.append({"name": "c", "kind": "x", "n": 8})
    shown.append(list(pivot.lines()))
    assert shown == [
        [["", "x", "y", "total"], ["1. b", "100%", "0%", "6"], ["2. a", "25%", "75%", "4"]],
        [["", "x", "y", "total"], ["1. c", "80%", "20%", "10"], ["2. b", "100%", "0%", "6"]],
    ]


def test_filters_on_every_kind_of_pivot():
    data = table()
    totals = []
    for kind in (Pivot, SharePivot, RankedPivot):
        pivot = kind(data, "name", "kind", "n")
        totals.append([pivot.total])
        pivot.only(kind="y")
        totals[-1].append(pivot.total)
        pivot.only(name="a", kind="x")
        totals[-1] += [pivot.total, pivot.row_names]
        pivot.only()
        totals[-1].append(pivot.total)
    assert totals == [[12, 5, 1, ["a"], 12], [12, 5, 1, ["a"], 12], [12, 5, 1, ["a"], 12]]


def test_corrected_row():
    data = table()
    pivot = SharePivot(data, "kind", "name", "n")
    first = dict(pivot.shares)
    data.replace(0, n=9, kind="y")
    assert first == {("x", "a"): 14.3, ("y", "a"): 60.0, ("x", "b"): 85.7, ("y", "c"): 40.0}
    assert pivot.shares == {("y", "a"): 85.7, ("x", "b"): 100.0, ("y", "c"): 14.3}
    assert (pivot.passes, pivot.row_totals) == (2, {"x": 6, "y": 14})


def test_passes_only_when_asked():
    data = table()
    pivots = [kind(data, "name", "kind", "n") for kind in (Pivot, SharePivot, RankedPivot)]
    for number in range(4):
        data.append({"name": "d", "kind": "z", "n": number})
        if number % 2:
            sums = [pivot.total for pivot in pivots] + [list(pivot.lines())[0] for pivot in pivots[1:]]
    assert sums == [18, 18, 18, ["", "x", "y", "z", "total"], ["", "x", "y", "z", "total"]]
    assert [pivot.passes for pivot in pivots] == [2, 2, 2]


def test_command_line_with_added_rows(capsys):
    add = ["--add", "region=north,month=jan,amount=40", "--add", "region=east,month=mar,amount=1"]
    assert main(["sales.csv", "region", "month", "amount", "--shares", *add]) == 0
    assert capsys.readouterr().out.splitlines()[3:] == [
        "          feb    jan  total", " north  37.5%  62.5%     80", " south     0%   100%     40",
        "          feb    jan    mar  total", "  east     0%     0%   100%      1",
        " north  37.5%  62.5%     0%     80", " south     0%   100%     0%     40",
    ]
