import pytest
from prices.loader import load_text
from prices.offers import Offers
from prices.scanner import ListError, RowScanner

LIST = 'No.;Text;Unit;Price\nA1;Screw;box;1.234,50\nA2;"Pipe 3/4"""" ;x";;12,-\r\nA3;"two\nlines";m;0,99 USD\n'


def test_in_one_piece():
    assert [article.label() for article in load_text(LIST).values()] == [
        "A1 Screw: 1.234,50 EUR per box", 'A2 Pipe 3/4"" ;x: 12,00 EUR per piece', "A3 two\nlines: 0,99 USD per m"
    ]


def test_two_pieces():
    scanner = RowScanner()
    cut = LIST.index('""""') + 1
    rows = scanner.feed(LIST[:cut]) + scanner.feed(LIST[cut:]) + scanner.close()
    assert rows[2] == (3, ["A2", 'Pipe 3/4"" ;x', "", "12,-"])


def test_long_list():
    text = "article;name;price\n" + "".join(f'B{i};"Tube {i}"" ; long";{i},50\n' for i in range(400))
    offers = Offers(piece_size=64)
    assert offers.add_list("mill", text) == 400
    assert offers.order({"B7": 2, "B300": 1}) == (["1 x B300 from mill: 300,50", "2 x B7 from mill: 15,00"], "315,50")


def test_line_of_a_mistake():
    with pytest.raises(ListError, match="line 4: not a price: 'x'"):
        load_text('article;name;price\na;"1\n2";3\nb;c;x\n')


def test_open_quote():
    with pytest.raises(ListError, match="does not end"):
        load_text('article;name;price\na;"1;2\n')
