import pytest
from grid import GridError, counts, find, parse_grid, write_grid


def test_runs():
    rows = parse_grid("5#$#S2.#$ #2.G#$ 5#!")
    assert (rows, find(rows, "G"), counts(rows)) == (
        ['#####', '#S..#', '#..G#', '#####'], [(2, 3)], {'wall': 14, 'free': 4, 'start': 1, 'goal': 1},
    )


def test_repeated_row_ends():
    assert parse_grid("3#3$S.G$!") == ["###", "...", "...", "S.G"]


def test_groups():
    assert parse_grid("2(#2(.o)$)!") == ["#.o.o", "#.o.o"]


def test_written_again():
    text = "3#$o$$2o#$!"
    assert write_grid(parse_grid(text)) == text


def test_errors():
    for text in ("3#", "2x!", "#!#", "2!", "0#!", "2(#!"):
        with pytest.raises(GridError):
            parse_grid(text)
