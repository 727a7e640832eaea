import asyncio

import pytest
from boxoffice.evening import order_all, report, tickets
from boxoffice.gateway import Gateway
from boxoffice.hall import Hall, SeatTaken
from boxoffice.office import Office


def sell(office):
    return asyncio.run(asyncio.wait_for(office.sell(), 2))


def test_one_after_the_other():
    hall = Hall("AB", 4)
    office = Office(hall, Gateway(refuse=["ben"]), side_by_side=1)
    assert order_all(office, [("ada", 2), ("ben", 2), ("cleo", 3), ("dan", 4)]) == ["dan"]
    assert sell(office) == 2
    assert report(office, hall) == {
        "orders": 3, "sold": 2, "refused": ["ben"], "takings": 18600, "seats": (3, 0, 5)}


def test_answers_at_the_same_moment():
    hall = Hall("AB", 4)
    office = Office(hall, Gateway(), side_by_side=3)
    order_all(office, [("ada", 2), ("ben", 2), ("cleo", 3)])
    assert sell(office) == 3
    assert [order.state for order in office.orders] == ["sold", "sold", "sold"]


def test_tickets():
    office = Office(Hall("C", 3), Gateway())
    order = office.order("eve", ["C2", "C3"])
    with pytest.raises(ValueError, match="is new"):
        tickets(order)
    sell(office)
    assert tickets(order) == ["C2 eve R-eve-3800", "C3 eve R-eve-3800"]


def test_seat_is_ordered_once():
    office = Office(Hall("C", 3), Gateway())
    office.order("eve", ["C2"])
    with pytest.raises(SeatTaken):
        office.order("fay", ["C1", "C2"])
    assert office.order("fay", ["C1"]).number == 2
