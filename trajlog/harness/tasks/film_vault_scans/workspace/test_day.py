import pytest
from archive.day import CommandError, Day, read_shelves
from vault import ShelfBusy

TEXT = """
[A]
R1 Metropolis, 1927, 4189
R2 Sunrise, 1927, 2600
[B]
R3 M, 1931, 3208
R4 Vertigo, 1958, 3520!
"""


@pytest.fixture
def day():
    return Day(read_shelves(TEXT))


def test_lists_and_counts(day):
    assert day.run("list 1900 1930\ncount\nlist 1931 1999") == ["Metropolis; Sunrise", "1920s:2 1930s:1 1950s:1",
                                                               "M; Vertigo"]


def test_lend_and_return_after_a_find(day):
    assert day.run("lend R2 museum\nfind R1\nreturn R2") == [
        "R2 to museum", "Metropolis on A", "R2 back on A"]


def test_add_gives_codes(day):
    assert day.run("add A Nosferatu, 1922, 1967\nadd A Faust, 1926, 2484\ncount") == [
        "A1", "A2", "1920s:4 1930s:1 1950s:1"]


def test_evening(day):
    assert day.run("show R3\nshow R2\nshow R1\nevening") == [
        "117.0 min tonight", "226.8 min tonight", "EveningFull: Metropolis would end after 240 minutes",
        "19:00 M 21:12 Sunrise"]


def test_changes_during_a_scan_are_refused(day):
    shelf = day.shelves["A"]
    with shelf.scan() as scan:
        assert next(scan).code == "R1"
        with pytest.raises(ShelfBusy):
            shelf.take("R2")
    assert shelf.take("R2").title == "Sunrise"


def test_unknown_command(day):
    with pytest.raises(CommandError):
        day.run("burn R1")
