import pytest
from pivots.cli import main
from pivots.pivot import Pivot
from pivots.shares import SharePivot
from pivots.table import Table


@pytest.fixture
def table():
    return Table.from_csv("sales.csv")


def test_plain_pivot(table):
    pivot = Pivot(table, "region", "month", "amount")
    before = list(pivot.lines())
    table.append({"region": "west", "month": "feb", "amount": "5"})
    assert before == [["", "feb", "jan", "total"], ["north", "30", "10", "40"], ["south", "0", "40", "40"]]
    assert list(pivot.lines())[1:] == [
        ["north", "30", "10", "40"], ["south", "0", "40", "40"], ["west", "5", "0", "5"]
    ]


def test_shares(table):
    pivot = SharePivot(table, "region", "month", "amount")
    assert list(pivot.lines())[1:] == [["north", "75%", "25%", "40"], ["south", "0%", "100%", "40"]]


def test_shares_after_an_append(table):
    pivot = SharePivot(table, "region", "item", "amount")
    list(pivot.lines())
    table.append({"region": "south", "item": "cup", "amount": "10"})
    assert list(pivot.lines()) == [
        ["", "cup", "tea", "total"], ["north", "0%", "100%", "40"], ["south", "60%", "40%", "50"]
    ]


def test_nothing_is_summed_again(table):
    pivot = SharePivot(table, "region", "month", "amount")
    for _ in range(3):
        list(pivot.lines())
    assert (pivot.passes, pivot.known()) == (1, ["cells", "column_names", "row_names", "row_totals", "shares"])


def test_unknown_column_on_the_command_line(capsys):
    assert main(["sales.csv", "item", "month", "amount", "--add", "colour=red"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "          feb    jan  total", "   cup      0     20     20", "   tea     30     30     60",
        "error: unknown columns: colour",
    ]
