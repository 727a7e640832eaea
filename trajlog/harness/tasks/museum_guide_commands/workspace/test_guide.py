import pytest
from guide.languages import Catalogue
from guide.lending import Desk
from guide.player import Finished, Player
from guide.rooms import read_rooms

MUSEUM = """Egypt, Mummies
Egypt, Cats
Egypt, Boats
Rome, Roads
Rome, Baths
"""


@pytest.fixture
def player():
    return Player(read_rooms(MUSEUM))


def test_whole_tour(player):
    player.run(". . . . . . .")
    assert player.heard == [
        "door: Egypt, 3 tracks",
        "track: Mummies",
        "track: Cats",
        "track: Boats",
        "door: Rome, 2 tracks",
        "track: Roads",
        "track: Baths",
        "end: Thank you for your visit",
    ]
    player.end()
    with pytest.raises(Finished):
        player.end()


def test_commands_during_tracks(player):
    assert player.run(". skip back pause skip play") == [
        "track: Mummies",
        "track: Cats",
        "track: Mummies",
        "hold: ...",
        "hold: ...",
        "track: Mummies",
    ]
    assert player.run("leave") == ["end: Thank you for your visit"]


def test_leave_at_the_door(player):
    player.run(". skip skip skip")
    assert str(player.playing) == "door: Rome, 2 tracks"
    assert player.run("leave") == ["end: Thank you for your visit"]


def test_desk():
    desk = Desk(read_rooms(MUSEUM), devices=1)
    desk.lend("ada").run(". . back")
    with pytest.raises(LookupError, match="all devices are lent"):
        desk.lend("ben")
    assert desk.report() == ["rooms: Egypt 1, Rome 0", "best: Mummies 2, Cats 1", "devices out: 1"]
    assert desk.take_back("ada") == 4
    assert desk.audience.unheard(read_rooms(MUSEUM)) == ["Boats", "Roads", "Baths"]


def test_unknown_button(player):
    with pytest.raises(ValueError, match="no button 'louder'"):
        player.press("louder")


def test_other_language():
    catalogue = Catalogue().read("de: Egypt = Aegypten\nde: Cats = Katzen\n\nfr: Cats = Chats")
    rooms = read_rooms(MUSEUM)
    guide = Player(catalogue.rooms(rooms, "de"))
    guide.run(". .")
    assert guide.heard == ["door: Aegypten, 3 tracks", "track: Mummies", "track: Katzen"]
    assert catalogue.missing(rooms, "fr")[:3] == ["Egypt", "Mummies", "Boats"]
