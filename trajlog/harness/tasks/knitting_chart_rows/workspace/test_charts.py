import pytest
from charts import Chart, ChartFormatError, decode, encode


def test_lace_chart_comes_back():
    chart = Chart("lace", 6, ["k*6", "k yo ssk k*3", "p*6", "k*3 k2tog yo k"])
    loaded = decode(encode(chart))
    assert (loaded.name, loaded.width) == ("lace", 6)
    assert loaded.lines() == ["  4 k k k k2tog yo k", "  3 p p p p p p", "  2 k yo ssk k k k", "  1 k k k k k k"]


def test_long_plain_piece_is_small():
    chart = Chart("scarf", 40).add_row("k*40", times=300)
    data = encode(chart)
    assert len(data) == 20
    assert decode(data).stitch_counts() == {"k": 12000}


def test_cable_after_some_plain_rows():
    chart = Chart("cable", 8, ["p*2 c4f p*2"])
    chart.add_row("p*2 k*4 p*2", times=3).add_row("p*2 c4f p*2")
    assert decode(encode(chart)).cable_rows() == [1, 5]


def test_other_files_are_refused():
    with pytest.raises(ChartFormatError, match="not a chart"):
        decode(b"PDF-1.4 and so on")


def test_width_is_checked():
    with pytest.raises(ValueError, match="row 1 takes 5 of 8 columns"):
        Chart("bad", 8, ["k c4f"])
