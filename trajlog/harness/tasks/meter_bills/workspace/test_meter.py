from datetime import date

import pytest
from meter.billing import bills, forecast, load
from meter.history import History
from meter.register import ReadingError
from meter.tariff import Block, Tariff

TARIFF = Tariff(3055, [Block(100, 2899), Block(250, 3149), Block(None, 3555)])
ANN = ["customer Ann 5 1", "2024-01-01 412", "2024-02-01 512", "2024-03-01 913"]


def test_bills():
    rows = [row for bill in bills(load(ANN), TARIFF) for row in bill.rows()]
    assert rows == [
        "Ann 01.01.24-01.02.24",
        "  fee             0 kWh       9.47",
        "  0-100         100 kWh      28.99",
        "  total         100 kWh      38.46",
        "Ann 01.02.24-01.03.24",
        "  fee             0 kWh       8.86",
        "  0-100         100 kWh      28.99",
        "  100-250       150 kWh      47.24",
        "  250+          151 kWh      53.68",
        "  total         401 kWh     138.77",
    ]


def test_register_starts_over():
    history = load(["customer Bob 5 1", "2024-01-01 99950", "2024-02-01 49"])
    assert [(bill.energy, bill.total) for bill in bills(history, TARIFF)] == [(99, 3817)]


def test_forecast():
    assert forecast(load(ANN), 365) == 3047


def test_readings_are_checked():
    with pytest.raises(ReadingError, match="100000 does not fit in 5 digits"):
        load(["customer Bob 5 1", "2024-01-01 100000"])
    history = History("Eve")
    history.read(date(2024, 3, 1), 5)
    with pytest.raises(ReadingError, match="is not after"):
        history.read(date(2024, 3, 1), 6)


def test_blocks_must_rise():
    with pytest.raises(ValueError, match="do not rise"):
        Tariff(0, [Block(100, 1), Block(100, 2), Block(None, 3)])
