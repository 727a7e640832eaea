import pytest
from sheets import Book


@pytest.fixture
def sheet():
    made = Book().sheet("prices")
    for row, (count, price) in enumerate([("2", "10"), ("3", "4.5"), ("1", "99"), ("5", "2")], 1):
        made.set(f"A{row}", count)
        made.set(f"B{row}", price)
    return made


def test_formulas(sheet):
    sheet.set("D1", "=SUM(A1:A4)*2-B1")
    sheet.set("D2", "=D1+$A$2")
    assert [sheet.value("D1"), sheet.value("D2"), sheet.text("D2")] == [12.0, 15.0, "=D1+$A$2"]


def test_errors_are_values(sheet):
    sheet.set("E1", "=E2")
    sheet.set("E2", "=E1")
    sheet.set("E3", "name")
    sheet.set("E4", "=E3+1")
    assert [sheet.value("E1"), sheet.value("E4")] == ["#CIRC", "#VALUE"]


def test_fill_down(sheet):
    sheet.set("C1", "=A1*B1")
    sheet.fill_down("C1", 3)
    assert [sheet.text(f"C{row}") for row in range(1, 5)] == ["=A1*B1", "=A2*B2", "=A3*B3", "=A4*B4"]
    assert [sheet.value(f"C{row}") for row in range(1, 5)] == [20.0, 13.5, 99.0, 10.0]


def test_insert_row_moves_references(sheet):
    sheet.set("C4", "=A4+A1")
    sheet.insert_row(2)
    assert (sheet.text("C5"), sheet.value("C5"), sheet.text("A3")) == ("=A5+A1", 7.0, "3")


def test_copied_style_is_its_own(sheet):
    sheet.style("A1", bold=True)
    sheet.fill_down("A1", 1)
    sheet.style("A2", colour="red")
    assert [sheet.style_of("A1"), sheet.style_of("A2")] == [{"bold": True}, {"bold": True, "colour": "red"}]
