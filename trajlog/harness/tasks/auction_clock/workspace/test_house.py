import pytest
from auction.house import House
from auction.lot import BidRefused, step
from auction.timers import Timers


@pytest.fixture
def timers():
    return Timers()


@pytest.fixture
def house(timers):
    house = House(timers, duration=60, grace=10, bids_per_minute=4)
    house.open(house.offer("clock", 50, reserve=80))
    return house


def test_steps():
    assert [step(amount) for amount in (50, 100, 1999, 2000)] == [5, 10, 50, 100]


def test_sold_to_the_highest(house, timers):
    house.bid("ada", 1, 50)
    timers.advance(5)
    house.bid("ben", 1, 95)
    with pytest.raises(BidRefused, match="needs at least 100"):
        house.bid("ada", 1, 99)
    timers.advance(60)
    assert house.bills() == {"ben": 95}
    assert house.journal == ["0 #1 open", "0 #1 ada 50", "5 #1 ben 95", "60 #1 sold"]


def test_late_bid_gives_more_time(house, timers):
    house.bid("ada", 1, 50)
    timers.advance(55)
    assert house.bid("ben", 1, 90) == 10
    timers.advance(7)
    house.bid("ada", 1, 100)
    timers.advance(20)
    assert house.journal[-3:] == ["55 #1 ben 90", "62 #1 ada 100", "72 #1 sold"]


def test_too_many_bids(house):
    for number in range(2):
        house.bid("ada", 1, 50 + 20 * number)
        house.bid("ben", 1, 60 + 20 * number)
    for _ in range(2):
        with pytest.raises(BidRefused):
            house.bid("ada", 1, 10)
    with pytest.raises(BidRefused, match="ada bids too often"):
        house.bid("ada", 1, 500)
    assert house.lots[1].bids == [("ada", 50), ("ben", 60), ("ada", 70), ("ben", 80)]
