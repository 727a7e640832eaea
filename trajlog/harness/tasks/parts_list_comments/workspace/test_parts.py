import pytest
from parts.errors import PartsError, SyntaxProblem
from parts.explode import cost, needed, order_lines
from parts.parser import parse
from parts.stock import Stock

SHELF = """part board "pine (planed)" @ 7.50;
part screw "M4 x 20" @ 0.12; (* box of 100 (* or 200 *) *)
assembly side { 2 x board; 4 x screw; }
assembly shelf { 2 x side; 3 x board; 1'000 * screw; }
"""


def test_orders():
    assert order_lines(parse(SHELF), "shelf") == ["     7 board (pine (planed))", "  1008 screw (M4 x 20)"]
    assert (cost(parse(SHELF), "side"), needed(parse(SHELF), "side", 3)) == (15.48, {"board": 6, "screw": 12})


def test_comment_mark_in_a_text():
    parts_list = parse(SHELF.replace("M4 x 20", "M4 (*zinc plated"))
    assert parts_list.parts["screw"].description == "M4 (*zinc plated"


def test_lines_after_a_long_comment():
    with pytest.raises(SyntaxProblem, match="; expected, not assembly at line 5"):
        parse("(* shelf,\n  for the\n  kitchen *)\npart board\nassembly shelf { 1 x board; }")


def test_things_that_are_missing():
    with pytest.raises(PartsError, match="door is not in the list, needed for shelf"):
        needed(parse("assembly shelf { 1 x door; }"), "shelf")
    with pytest.raises(SyntaxProblem, match="unclosed comment at line 2"):
        parse("part a;\n(* (* *) part b;")


def test_assembly_in_itself():
    with pytest.raises(PartsError, match="a contains itself"):
        needed(parse("assembly a { 1 x b; } assembly b { 2 x a; }"), "a")


def test_stock():
    stock = Stock({"board": 9, "screw": 20})
    assert (stock.can_build(parse(SHELF), "side"), stock.missing(parse(SHELF), "shelf")) == (4, {"screw": 988})
    assert stock.take(parse(SHELF), "side", 2)["screw"] == 12
    with pytest.raises(PartsError, match="short of 3 board"):
        stock.take(parse(SHELF), "side", 4)
