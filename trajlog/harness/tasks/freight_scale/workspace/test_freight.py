import pytest
from freight.fixed import Fixed, FixedError
from freight.parcels import Parcel, ParcelError, parse_parcels
from freight.quote import compare, lightest, quote, quote_text
from freight.tariff import Tariff, TariffError

BOOK = """
fuel 12.50
extra tailgate 35
HAM MUC 0.0850 9.50   # per kg
BRE MUC 0.09 7.25 6000
HAM VIE 0.142 12
"""


def test_small_parcel_costs_the_minimum():
    found = quote(Tariff.parse(BOOK), "HAM", "MUC", [Parcel((10, 10, 10), 1200)])
    assert found.lines == [("freight", Fixed(950, 2)), ("fuel", Fixed(119, 2))]


def test_fuel_with_three_decimals():
    tariff = Tariff.parse(BOOK.replace("12.50", "12.500"))
    found = quote(tariff, "HAM", "MUC", [Parcel((120, 80, 100), 480300)], ["tailgate"])
    assert found.text().splitlines() == [
        '480.5 kg', 'freight        40.84', 'fuel            5.11', 'tailgate       35.00',
        'total          80.95',
    ]


def test_arithmetic():
    a, b = Fixed.parse("-1.25"), Fixed.parse("0.5")
    assert [str(x) for x in (a + b, a - b, a * b, -a, a * 3, a.rounded(1))] == [
        '-0.75', '-1.75', '-0.625', '1.25', '-3.75', '-1.3',
    ]


def test_equal_numbers():
    assert len({Fixed.parse("1.50"), Fixed.parse("1.5"), Fixed(15, 1)}) == 1


def test_lanes_are_compared():
    assert compare(Tariff.parse(BOOK), "MUC", [Parcel((60, 40, 40), 90000)]) == [("BRE", "9.11"), ("HAM", "10.69")]


def test_parcels_as_text():
    parcels = parse_parcels("2x 60x40x40 12.5kg\n\n30x20x10 900 g\n")
    assert ([parcel.grams for parcel in parcels], lightest(parcels).girth()) == ([12500, 12500, 900], 90)
    assert quote_text(Tariff.parse(BOOK), "HAM", "MUC", "30x20x10 900g").splitlines()[0] == "1.5 kg"
    with pytest.raises(ParcelError, match="girth 900"):
        parse_parcels("300x200x100 10kg")


def test_errors():
    with pytest.raises(FixedError, match="not a number"):
        Fixed.parse("1,5")
    with pytest.raises(TariffError, match="HAM to ROM"):
        quote(Tariff.parse(BOOK), "HAM", "ROM", [])
