import pytest
from auction.house import House
from auction.lot import BidRefused
from auction.timers import Timers


def start(**options):
    timers = Timers()
    house = House(timers, **options)
    for title, begin in (("clock", 50), ("vase", 200)):
        house.open(house.offer(title, begin))
    return timers, house


def test_held_lot_does_not_end():
    timers, house = start()
    house.bid("ada", 1, 50)
    timers.advance(40)
    house.hold(1)
    timers.advance(100)
    with pytest.raises(BidRefused, match="lot 1 is held"):
        house.bid("ben", 1, 60)
    house.resume(1)
    left = house.bid("ben", 1, 60)
    timers.advance(19)
    before = house.lots[1].state
    timers.advance(1)
    assert (left, before, house.lots[1].state) == (20, "open", "sold")
    assert house.journal[-3:] == ["140 #1 resumed", "140 #1 ben 60", "160 #1 sold"]


def test_withdrawn_lot_stays_withdrawn():
    timers, house = start()
    house.bid("ada", 2, 200)
    timers.advance(10)
    house.withdraw(2)
    timers.advance(200)
    assert house.journal == ["0 #1 open", "0 #2 open", "0 #2 ada 200", "10 #2 withdrawn", "60 #1 unsold"]
    assert (house.bills(), house.lots[2].state) == ({}, "withdrawn")


def test_bidding_war_at_the_end():
    timers, house = start(grace=5)
    lefts = []
    timers.advance(57)
    for number in range(6):
        lefts.append(house.bid(f"p{number % 2}", 2, 200 + 10 * number))
        timers.advance(4)
    timers.advance(1)
    assert lefts == [5, 5, 5, 5, 5, 5]
    assert house.bills() == {"p1": 250}
    assert house.journal[-2:] == ["77 #2 p1 250", "82 #2 sold"]


def test_late_bid_and_then_a_question():
    timers, house = start()
    timers.advance(58)
    house.bid("ada", 1, 70)
    timers.advance(1)
    house.hold(1)
    timers.advance(30)
    states = [house.lots[1].state]
    house.resume(1)
    timers.advance(8)
    states.append(house.lots[1].state)
    house.hold(1)
    house.resume(1)
    timers.advance(1)
    states.append(house.lots[1].state)
    assert states == ["held", "open", "sold"]
    assert [line for line in house.journal if line.endswith("sold")] == ["60 #2 unsold", "98 #1 sold"]


def test_short_lot_with_many_holds():
    timers, house = start(duration=30)
    for _ in range(3):
        timers.advance(5)
        house.hold(2)
        timers.advance(50)
        house.resume(2)
    timers.advance(15)
    assert [line for line in house.journal if "resumed" not in line and "held" not in line] == [
        "0 #1 open",
        "0 #2 open",
        "30 #1 unsold",
        "180 #2 unsold",
    ]
