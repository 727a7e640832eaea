import pytest
from grid import GridError, parse_grid, write_grid


def test_after_row_ends():
    assert parse_grid("#2$o#4$.G3$S$!") == ["#.", "..", "o#", "..", "..", "..", ".G", "..", "..", "S."]


def test_groups_and_row_ends():
    assert parse_grid("2(3(#2$)o)G$!") == [
        '#.', '..', '#.', '..', '#.', '..', 'o#', '..', '#.', '..', '#.', '..', 'oG',
    ]


def test_blanks_within_numbers():
    assert parse_grid(" 1 2 #\n2 $ S 3\n( o . )$ ! ") == ["############", "............", "So.o.o......"]


def test_empty_rows_at_the_end():
    assert [len(parse_grid(text)) for text in ("#3$!", "3$!", "!", "$!", "2(2$)#!")] == [3, 3, 0, 1, 5]


def test_what_is_refused():
    messages = []
    for text in ("2$3)!", "3$", "(2$2)!", "2$0#!", "#$!#"):
        with pytest.raises(GridError) as caught:
            parse_grid(text)
        messages.append(str(caught.value))
    assert messages == ["unexpected ')'", 'no end', '2 of nothing', '0 of something', "'#' after the end"]


def test_round_trip():
    rows = ["##", "", "", ".o.S", "", "G"]
    assert (write_grid(rows), parse_grid(write_grid(rows))) == (
        '2#$$$.o.S$$G$!', ['##..', '....', '....', '.o.S', '....', 'G...'],
    )
