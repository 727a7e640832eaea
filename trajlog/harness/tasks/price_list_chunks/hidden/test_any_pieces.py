import pytest
from prices.loader import load_text
from prices.scanner import ListError, RowScanner

TEXT = 'a;"b""";"""c"\r\n"";"""";""""""\r\r\n\n"x\r\ny";"p;""q"";r";\rlast;5"" ;"k"z'


def rows_in_pieces(text, sizes):
    scanner, rows, position, turn = RowScanner(), [], 0, 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        rows += scanner.feed(text[position:position + size])
        position, turn = position + size, turn + 1
    return rows + scanner.close()


def test_single_characters():
    assert rows_in_pieces(TEXT, [1]) == [
        (1, ["a", 'b"', '"c']), (2, ["", '"', '""']), (5, ["x\r\ny", 'p;"q";r', ""]), (7, ["last", '5"" ', "kz"])
    ]


def test_every_size_gives_the_same():
    different = [size for size in range(1, 40) if rows_in_pieces(TEXT, [size]) != rows_in_pieces(TEXT, [999])]
    mixed = [sizes for sizes in ([1, 2], [2, 3, 1], [5, 1, 1], [0, 1], [3, 0, 0, 2])
             if rows_in_pieces(TEXT, sizes) != rows_in_pieces(TEXT, [999])]
    assert (different, mixed, len(rows_in_pieces(TEXT, [7]))) == ([], [], 4)


def test_runs_of_quotes():
    text = "".join(f'"{"" * number}{chr(34) * 2 * number}";' for number in range(6)) + "end"
    assert rows_in_pieces(text, [1, 1, 2]) == [(1, ["", '"', '""', '"""', '""""', '"""""', "end"])]


def test_line_numbers_of_mistakes():
    found = []
    for text in ('article;name;price\n\na;"x""\ny";1\nb;"""";z', 'article;name;price\r\na;b;"1""2"\r\n',
                 'article;name;price\ra;"b\r\n""c""";1\r\r\na;d;2\r', 'article;name;price\na;"""\n'):
        for size in (1, 3, 999):
            with pytest.raises(ListError) as caught:
                load_text(text, size)
            found.append(caught.value.line)
    assert found == [5, 5, 5, 2, 2, 2, 5, 5, 5, 2, 2, 2]


def test_row_without_end():
    assert [rows_in_pieces(text, [1]) for text in ('a;"b"', '""', 'a;""', '"a"""')] == [
        [(1, ["a", "b"])], [(1, [""])], [(1, ["a", ""])], [(1, ['a"'])]
    ]
