from freight.fixed import Fixed
from freight.parcels import Parcel
from freight.quote import quote
from freight.tariff import Tariff


def lines(fuel, rate):
    tariff = Tariff.parse(f"fuel {fuel}\nA B {rate} 1")
    return [str(amount) for _, amount in quote(tariff, "A", "B", [Parcel((1, 1, 1), 321400)]).lines]


def test_writing_of_the_fuel_rate():
    assert [lines(fuel, "0.085") for fuel in ("7", "7.0", "7.00", "7.0000", "07.000")] == [
        ['27.33', '1.91'], ['27.33', '1.91'], ['27.33', '1.91'], ['27.33', '1.91'], ['27.33', '1.91'],
    ]


def test_writing_of_the_lane_rate():
    assert [lines("9.125", rate) for rate in ("0.085", "0.0850", "0.08505", "1", "1.5")] == [
        ['27.33', '2.49'], ['27.33', '2.49'], ['27.34', '2.49'], ['321.50', '29.34'],
        ['482.25', '44.01'],
    ]


def test_percent():
    found = [Fixed.parse(n).percent(Fixed.parse(rate)) for n, rate in
             [("200", "19"), ("-3.30", "5.5"), ("0.001", "0.1"), ("80.00", "12.500"), ("1", "100")]]
    assert [(str(x), str(x.rounded(2))) for x in found] == [
        ('38.00', '38.00'), ('-0.18150', '-0.18'), ('0.000001', '0.00'), ('10.0000000', '10.00'),
        ('1.00', '1.00'),
    ]


def test_percent_of_percent():
    value = Fixed.parse("1000").percent(Fixed.parse("2.5")).percent(Fixed.parse("10.00"))
    assert (str(value), value == Fixed.parse("2.5"), str(value.rounded(0))) == ("2.5000000", True, "3")


def test_rounding_of_negative_fuel():
    assert lines("-2.5", "0.1") + lines("-0.005", "0.622") == ["32.15", "-0.80", "199.97", "-0.01"]
