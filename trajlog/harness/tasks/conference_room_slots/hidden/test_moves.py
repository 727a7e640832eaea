import pytest
from confplan.programme import Programme
from confplan.room import SlotTaken
from confplan.talks import at


def full():
    made = Programme({"aula": 300, "hall": 90})
    for number, clock in enumerate(("09:00", "10:00", "11:00", "13:00", "15:00")):
        made.add("aula", f"A{number}", f"s{number}", at(1, clock), 50)
        made.add("aula", f"B{number}", f"t{number}", at(2, clock), 50)
    made.add("hall", "H", "u", at(1, "12:00"), 20)
    return made


def test_moves_forth_and_back():
    made = full()
    made.move("A1", at(1, "17:00"))
    made.move("A4", at(1, "08:00"))
    made.move("A0", at(1, "10:05"))
    assert made.day_plan(1)["aula"] == ['d1 08:00 A4', 'd1 10:05 A0', 'd1 11:00 A2', 'd1 13:00 A3', 'd1 17:00 A1']
    assert [made.now_in("aula", at(1, c)) for c in ("08:30", "09:10", "10:30", "13:49", "15:10", "17:00")] == [
        'A4', None, 'A0', 'A3', None, 'A1',
    ]


def test_nothing_on_top_of_a_moved_talk():
    made = full()
    made.move("A0", at(1, "16:30"))
    refused = []
    for clock in ("16:00", "16:30", "17:00", "17:20", "09:20"):
        try:
            made.add("aula", f"new {clock}", "v" + clock, at(1, clock))
        except SlotTaken as error:
            refused.append(str(error))
    assert refused == ['aula: d1 16:30 new 16:30', 'aula: d1 17:00 new 17:00']


def test_refused_move_changes_nothing():
    made = full()
    before = made.day_plan(1)
    with pytest.raises(SlotTaken):
        made.move("A3", at(1, "14:30"))
    with pytest.raises(SlotTaken):
        made.move("H", at(1, "10:40"), "aula")
    assert made.day_plan(1) == before
    assert (made.now_in("aula", at(1, "13:00")), made.now_in("hall", at(1, "12:00"))) == ('A3', 'H')


def test_short_move_over_its_own_time():
    made = full()
    made.move("A2", at(1, "11:05"))
    assert made.now_in("aula", at(1, "11:54")) == 'A2'


def test_postponed_day():
    made = full()
    made.move("A2", at(2, "08:00"))
    made.postpone(1, 70)
    made.postpone(2, -15)
    assert made.day_plan(1) == {
        'aula': ['d1 10:10 A0', 'd1 11:10 A1', 'd1 14:10 A3', 'd1 16:10 A4'], 'hall': ['d1 13:10 H'],
    }
    assert made.day_plan(2)["aula"] == [
        'd2 07:45 A2', 'd2 08:45 B0', 'd2 09:45 B1', 'd2 10:45 B2', 'd2 12:45 B3', 'd2 14:45 B4',
    ]
    assert [made.next_in("aula", at(1, "14:10")), made.now_in("aula", at(2, "07:50"))] == ['A4', 'A2']
