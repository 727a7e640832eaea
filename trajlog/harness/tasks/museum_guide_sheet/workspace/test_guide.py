import pytest
from guide import read_sheet
from lines import SheetError
from tours import crowded

SHEET = """
== Old masters
language = fr
@ Hall 5
@ Room 3: 12
@ Garden 4
"""


def test_settings():
    (tour,) = read_sheet(SHEET)
    assert (tour.title, tour.language, tour.capacity) == ("Old masters", "fr", 15)


def test_stops_of_a_tour():
    (tour,) = read_sheet(SHEET)
    assert (tour.rooms(), tour.minutes()) == (["Hall", "Room 3", "Garden"], 25)


def test_two_tours_without_settings():
    tours = read_sheet("== A\n\n@ Hall 5\n\n== B\n\n@ Attic 7\n")
    assert [(tour.title, tour.rooms()) for tour in tours] == [("A", ["Hall"]), ("B", ["Attic"])]
    assert crowded(tours, 0) == ["Attic", "Hall"]


def test_line_outside_a_tour():
    with pytest.raises(SheetError, match="line 1"):
        read_sheet("@ Hall 5")
