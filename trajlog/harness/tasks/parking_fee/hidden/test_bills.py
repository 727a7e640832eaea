from garage import Garage
from tariff import Tariff, load


def test_short_stays_at_the_station():
    station = load("tariffs.ini")["station"]
    assert [station.fee(minutes) for minutes in (0, 1, 29, 30, 31, 60, 61, 70, 90)] == [
        0,
        150,
        150,
        150,
        300,
        300,
        450,
        450,
        450,
    ]


def test_long_stays():
    north = load("tariffs.ini")["north"]
    assert [north.fee(minutes) for minutes in (1439, 1440, 1441, 1500, 1501, 2880, 3000, 2 * 1440 + 700)] == [
        1500,
        1500,
        1700,
        1700,
        1900,
        3000,
        3400,
        4500,
    ]


def test_odd_unit():
    tariff = Tariff("x", 7, 10, 3, 1000)
    assert [tariff.fee(minutes) for minutes in (3, 4, 7, 8, 9, 14, 15, 21, 22)] == [0, 10, 10, 20, 20, 20, 30, 30, 40]


def test_statement():
    garage = Garage(load("tariffs.ini"))
    for zone, entered, left in (
        ("north", "2024-02-28 23:00", "2024-03-01 00:05"),
        ("station", "2024-03-02 08:00", "2024-03-02 09:00"),
        ("north", "2024-03-03 08:00", "2024-03-03 08:15"),
    ):
        garage.enter("X 9", zone, entered)
        garage.leave("X 9", left)
    assert garage.statement("X 9") == [
        "28.02. 23:00 north 19.00",
        "02.03. 08:00 station 3.00",
        "03.03. 08:00 north 0.00",
        "total 22.00",
    ]
