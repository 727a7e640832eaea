from guide.player import Player
from guide.rooms import read_rooms

MUSEUM = "Egypt, Mummies\nEgypt, Cats\nRome, Roads\nRome, Baths\nChina, Tea\n"


def player(script=""):
    made = Player(read_rooms(MUSEUM))
    made.run(script)
    return made


def test_pause_at_the_first_door():
    assert player().run("pause . back play . leave") == [
        "hold: ...", "hold: ...", "hold: ...", "door: Egypt, 2 tracks", "track: Mummies",
        "end: Thank you for your visit",
    ]


def test_skip_at_doors():
    assert player().run("skip skip skip skip skip") == [
        "track: Cats", "door: Rome, 2 tracks", "track: Baths", "door: China, 1 tracks",
        "end: Thank you for your visit",
    ]


def test_back_at_doors():
    assert player().run("back . . . back . back back") == [
        "door: Egypt, 2 tracks", "track: Mummies", "track: Cats", "door: Rome, 2 tracks",
        "track: Cats", "door: Rome, 2 tracks", "track: Cats", "track: Mummies",
    ]


def test_back_at_a_first_track_and_pause():
    assert player(". . . .").run("back pause play back back back back") == [
        "door: Rome, 2 tracks", "hold: ...", "door: Rome, 2 tracks", "track: Cats", "track: Mummies",
        "door: Egypt, 2 tracks", "door: Egypt, 2 tracks",
    ]


def test_leave_in_a_pause_at_a_door():
    made = player(". . .")
    made.run("pause leave")
    made.end()
    assert (made.heard[3:], made.is_finished) == (
        ["door: Rome, 2 tracks", "hold: ...", "end: Thank you for your visit"], True,
    )
