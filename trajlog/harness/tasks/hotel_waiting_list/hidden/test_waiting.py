import pytest
from desk import Desk
from house import House
from stays import Stay
from waiting import NotWaiting


def full_house():
    desk = Desk(House({"double": 2, "single": 1}))
    desk.ask("H1", Stay("double", 1, 4), 0)
    desk.ask("H2", Stay("double", 1, 9), 0)
    return desk


def test_two_equal_requests_of_one_guest():
    desk = full_house()
    first = desk.ask("Dahl", Stay("double", 2, 3), 7)
    second = desk.ask("Dahl", Stay("double", 2, 3), 7)
    desk.cancel(second)
    left = desk.waiting.of("Dahl")
    assert len(left) == 1 and left[0] is first
    assert (first.notes, second.notes, desk.waiting.summaries()) == ([], ['cancelled'], ['Dahl: double 2-3'])


def test_cancelled_one_is_not_waiting_though_an_equal_one_is():
    desk = full_house()
    first = desk.ask("Dahl", Stay("double", 2, 3), 7)
    desk.ask("Dahl", Stay("double", 2, 3), 7)
    desk.cancel(first)
    with pytest.raises(NotWaiting):
        desk.cancel(first)
    assert desk.waiting.summaries() == ['Dahl: double 2-3']


def test_confirmed_request_leaves_the_list_itself():
    desk = full_house()
    desk.ask("Ek", Stay("double", 3, 6), 8)
    desk.ask("Falk", Stay("double", 2, 9), 8)
    gran = desk.ask("Gran", Stay("double", 1, 2), 8)
    desk.leave(desk.confirmed[0])
    assert (desk.names(), desk.waiting.summaries()) == (['H2', 'Ek', 'Gran'], ['Falk: double 2-9'])
    desk.leave(desk.confirmed[1])
    assert (desk.names(), gran.notes, desk.waiting.summaries()) == (
        ['H2', 'Gran'], ['confirmed'], ['Falk: double 2-9'],
    )


def test_middle_of_three():
    desk = full_house()
    made = [desk.ask(name, Stay("double", 4, 4), 9, "gold") for name in ("Ida", "Jon", "Kai")]
    desk.cancel(made[1])
    desk.cancel(made[2])
    assert (desk.waiting.summaries(), [request.notes for request in made]) == (
        ['Ida: double 4-4'], [[], ['cancelled'], ['cancelled']],
    )
