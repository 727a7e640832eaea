import asyncio

import pytest
from kitchen.card import Card, OrderError
from kitchen.gate import Gate
from kitchen.line import Line, missed, timeline


def serve(text):
    card = Card.load()
    return asyncio.run(Line(card).serve(card.order("7", text)))


def test_one_course():
    entries = serve("bread, soup, trout")
    assert timeline(entries) == [1, 1, 1]
    assert [dish for _, _, event, dish in entries if event == "ready"] == ["bread", "soup", "trout"]


def test_every_station_in_every_course():
    entries = serve("bread, soup, trout / salad, pasta, steak")
    assert (timeline(entries), missed(entries)) == ([1, 1, 1, 2, 2, 2], [])


def test_course_without_the_grill():
    entries = serve("bread, soup, steak / salad, pasta / sorbet, omelette, trout")
    assert (timeline(entries), missed(entries)) == ([1, 1, 1, 2, 2, 3, 3, 3], [])


def test_gate_opens_when_the_others_leave():
    async def scenario():
        gate = Gate(3)
        waiting = [asyncio.create_task(gate.arrive()) for _ in range(2)]
        await asyncio.sleep(0)
        counted = gate.waiting
        gate.leave()
        await asyncio.wait_for(asyncio.gather(*waiting), 2)
        return counted, gate.waiting, gate.parties

    assert asyncio.run(scenario()) == (2, 0, 2)


def test_unknown_dish():
    with pytest.raises(OrderError, match="not on the card: stew"):
        serve("bread / stew")
