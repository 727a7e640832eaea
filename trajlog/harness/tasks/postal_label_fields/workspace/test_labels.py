import pytest
from labels import Label, cents
from printing import print_labels
from reading import LabelError, read_labels
from sorting import Sorter
from vendor.bitpack import BitWriter


def start(zone, postcode, number):
    return BitWriter().put(zone, 12).text(postcode, 8).put(750, 16).put(0, 1).put(number, 3).align()


def test_what_was_printed_is_read():
    labels = [Label(7, "AB1 2CD", 300, True, {"insured": 50_000, "signature": "BERG"}), Label(900, "X9", 2100)]
    read = read_labels(print_labels(labels))
    assert [label.text() for label in read] == [
        "AB1 2CD zone 7 300 g, express, insured 50000, signature BERG", "X9 zone 900 2100 g"]
    assert [cents(label) for label in read] == [1010, 720]


def test_unknown_field_is_passed_over():
    writer = start(12, "K7", 2).put(99, 8).put(4, 8).put(0xCAFE1234, 32)
    writer.put(1, 8).put(3, 8).put(2500, 24)
    assert read_labels(writer.data())[0].text() == "K7 zone 12 750 g, insured 2500"


def test_keep_days():
    writer = start(12, "K7", 1).put(7, 8).put(1, 8).put(0b11101001, 8)
    assert read_labels(writer.data())[0].extras == {"keep days": 9}


def test_bins():
    sorter = Sorter({"north": range(0, 100), "south": range(100, 200)})
    roll = print_labels([Label(150, "S1", 10), Label(99, "N1", 10), Label(300, "M1", 10), Label(100, "S2", 10)])
    assert sorter.feed(roll) == [("S1", "south"), ("N1", "north"), ("M1", "manual"), ("S2", "south")]
    assert (sorter.busiest(), sorter.takings) == ("south", 720)


def test_broken_label():
    with pytest.raises(LabelError, match="label 2"):
        read_labels(print_labels([Label(1, "A", 1), Label(1, "A", 1)])[:-2])
