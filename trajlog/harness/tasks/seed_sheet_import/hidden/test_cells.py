import pytest
from catalogue.sheet import SheetError, read_catalogue

HEADER = "code,name,price,sow,description\r\n"


def test_empty_line_inside_a_cell():
    catalogue = read_catalogue(HEADER + 'P1,Pea,1,mar,"One.\r\n\r\nTwo.\nThree."\r\nP2,Pea,2,apr,x\r\n')
    assert (catalogue["P1"].description, catalogue["P2"].cents) == ('One.\r\n\r\nTwo.\nThree.', 200)


def test_vertical_tab_in_a_plain_cell():
    catalogue = read_catalogue(HEADER + "P1,Pea,1,mar,One.\x0bTwo.\r\nP2,Pea\x0cgreen,2,apr,\u2028x\r\n")
    assert [(s, catalogue[s].name, catalogue[s].description) for s in ("P1", "P2")] == [
        ('P1', 'Pea', 'One.\x0bTwo.'), ('P2', 'Pea\x0cgreen', '\u2028x'),
    ]


def test_separators_in_a_quoted_cell():
    catalogue = read_catalogue(HEADER + 'P1,"Pea\x1c,\x85",1,mar,"a\x0bb\nc\x1dd"\n')
    assert (catalogue["P1"].name, catalogue["P1"].description) == ('Pea\x1c,\x85', 'a\x0bb\nc\x1dd')


def test_number_of_a_wrong_row_after_long_cells():
    with pytest.raises(SheetError) as caught:
        read_catalogue(HEADER + 'P1,Pea,1,mar,"a\nb\nc"\nP2,Pea\x0bx,1,mar,d\nP3,Pea,1.234,mar,e\n')
    assert (caught.value.row, str(caught.value)) == (3, "row 3: price '1.234'")
