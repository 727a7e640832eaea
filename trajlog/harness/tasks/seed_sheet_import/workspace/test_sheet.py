import pytest
from catalogue.sheet import SheetError, read_catalogue

HEADER = "code,name,price,sow,description\n"


def test_plain_rows():
    catalogue = read_catalogue(HEADER + "T1,Tomato,2.50,feb-apr,Red\n\nL1,Lamb's lettuce,\"1,9\",aug-feb,\n")
    assert [len(catalogue), catalogue.price({"T1": 10, "L1": 2})] == [2, 2630]
    assert catalogue.sown_in("feb") == ["T1", "L1"]


def test_description_of_two_lines():
    catalogue = read_catalogue(HEADER + 'T1,Tomato,2.50,feb-apr,"Sow early.\nKeep moist."\n')
    assert catalogue["T1"].description == "Sow early.\nKeep moist."
    assert catalogue["T1"].label() == ["TOMATO", "Sow early.", "Keep moist."]


def test_quotes_and_commas():
    catalogue = read_catalogue(HEADER + 'B1,"Bean ""Blue""",3,may,"climbs, high"\n')
    assert (catalogue["B1"].name, catalogue["B1"].description) == ('Bean "Blue"', "climbs, high")


def test_wrong_row_is_named():
    with pytest.raises(SheetError, match="row 2: sowing time"):
        read_catalogue(HEADER + "T1,Tomato,2.50,feb,\nT2,Tomato,2.50,soon,\n")
