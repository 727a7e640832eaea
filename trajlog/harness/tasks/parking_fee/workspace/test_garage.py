import pytest
from garage import Garage, TicketError
from tariff import load


@pytest.fixture
def tariffs():
    return load("tariffs.ini")


def test_started_hours(tariffs):
    assert [tariffs["north"].fee(minutes) for minutes in (10, 15, 16, 59, 119, 155)] == [0, 0, 200, 200, 400, 600]


def test_full_hours(tariffs):
    garage = Garage(tariffs)
    garage.enter("AB 1", "north", "2024-05-06 10:00")
    assert garage.leave("AB 1", "2024-05-06 12:00") == 400


def test_cap(tariffs):
    assert [tariffs["north"].fee(hours * 60 + 30) for hours in (7, 12, 23)] == [1500, 1500, 1500]


def test_errors(tariffs):
    garage = Garage(tariffs)
    garage.enter("AB 1", "north", "2024-05-06 10:00")
    with pytest.raises(TicketError, match="before 10:00"):
        garage.leave("AB 1", "2024-05-06 09:59")
    with pytest.raises(TicketError, match="inside already"):
        garage.enter("AB 1", "station", "2024-05-06 10:00")
