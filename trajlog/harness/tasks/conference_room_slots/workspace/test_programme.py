import pytest
from confplan.programme import Programme
from confplan.room import SlotTaken
from confplan.talks import at


@pytest.fixture
def programme():
    made = Programme({"aula": 300, "attic": 40})
    made.add("aula", "Parsers", "ada", at(1, "09:00"))
    made.add("aula", "Types", "ben", at(1, "10:00"), 60)
    made.add("aula", "Closing", "cleo", at(1, "16:00"))
    made.add("attic", "Tools", "dan", at(1, "09:00"), 45)
    return made


def test_questions(programme):
    assert [programme.now_in("aula", at(1, clock)) for clock in ("09:29", "09:30", "10:59")] == [
        "Parsers", None, "Types"]
    assert programme.next_in("aula", at(1, "09:00")) == "Types"


def test_taken_slot(programme):
    with pytest.raises(SlotTaken):
        programme.add("aula", "Late", "eve", at(1, "10:30"))
    with pytest.raises(SlotTaken):
        programme.move("Tools", at(1, "15:45"), "aula")
    assert programme.day_plan(1)["attic"] == ["d1 09:00 Tools"]


def test_moved_talk_is_found(programme):
    programme.move("Parsers", at(1, "14:00"))
    assert programme.day_plan(1)["aula"] == ["d1 10:00 Types", "d1 14:00 Parsers", "d1 16:00 Closing"]
    assert [programme.now_in("aula", at(1, clock)) for clock in ("10:30", "14:15")] == ["Types", "Parsers"]


def test_move_to_another_room(programme):
    programme.move("Types", at(1, "11:00"), "attic")
    assert (programme.now_in("attic", at(1, "11:59")), programme.of_speaker("ben")) == ("Types", ["Types"])
