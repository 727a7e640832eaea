import pytest
from desk import Desk
from house import House
from stays import Stay, longest_run
from waiting import NotWaiting

NIGHTS = Stay("double", 10, 12)


@pytest.fixture
def desk():
    made = Desk(House({"double": 1, "single": 1}))
    made.ask("Host", NIGHTS, 1)
    return made


def test_order_of_the_list(desk):
    desk.ask("Alm", NIGHTS, 5)
    desk.ask("Berg", NIGHTS, 6, "gold")
    desk.ask("Carl", NIGHTS, 5)
    assert desk.waiting.summaries() == ["Berg: double 10-12", "Alm: double 10-12", "Carl: double 10-12"]


def test_berg_cancels(desk):
    desk.ask("Alm", NIGHTS, 5, "silver")
    berg = desk.ask("Berg", NIGHTS, 5, "silver")
    desk.cancel(berg)
    assert desk.waiting.summaries() == ["Alm: double 10-12"]


def test_next_gets_the_room(desk):
    desk.ask("Alm", Stay("double", 12, 13), 5)
    desk.leave(desk.confirmed[0])
    assert (desk.names(), len(desk.waiting)) == (["Alm"], 0)


def test_cancel_twice(desk):
    alm = desk.ask("Alm", NIGHTS, 5)
    desk.cancel(alm)
    with pytest.raises(NotWaiting, match="Alm"):
        desk.cancel(alm)


def test_longest_run():
    assert longest_run([Stay("double", 1, 3), Stay("double", 4, 5), Stay("double", 9, 9)]) == 5
