from catalogue.entries import Catalogue, Entry
from catalogue.pofile import dumps, loads
from catalogue.quoting import unquote
from catalogue.wrapping import pieces


def test_quotes_and_backslashes_anywhere():
    lengths = []
    for start in range(52, 64):
        message = "m" * start + '"C:\\new\\temp"\tis\\\\full\n' + "n" * 70
        loaded = loads(dumps(Catalogue("de", [Entry("key", message)])))
        assert loaded.translate("key") == message
        found = list(pieces(message))
        assert "".join(unquote(f'"{piece}"') for piece in found) == message
        lengths.append([len(piece) for piece in found])
    assert lengths == [
        [60, 23, 60, 10], [60, 24, 60, 10], [60, 25, 60, 10], [59, 27, 60, 10], [60, 27, 60, 10],
        [60, 28, 60, 10], [60, 29, 60, 10], [59, 31, 60, 10], [60, 31, 60, 10], [60, 32, 60, 10],
        [60, 33, 60, 10], [60, 34, 60, 10],
    ]


def test_many_backslashes():
    message = "a" + "\\" * 64
    assert [len(piece) for piece in pieces(message)] == [59, 60, 10]
    assert loads(dumps(Catalogue("de", [Entry(message, message)]))).translate(message) == message


def test_backslash_pairs_fill_a_line():
    message = "\\" * 30 + "end" + "\\" * 40
    assert [unquote(f'"{piece}"').count("\\") for piece in pieces(message)] == [30, 28, 12]


def test_width_of_the_lines():
    lines = dumps(Catalogue("de", [Entry("k", 'x"' * 45 + "\n" + "\t" * 31)])).split("\n")
    assert [len(line) - 2 for line in lines if line.startswith('"')] == [60, 60, 17, 60, 2]
