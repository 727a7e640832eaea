import pytest
from radio import Station
from radio.console import Console, ConsoleError
from radio.player import OffAir
from radio.songs import Library, LibraryError, Song


def station(**options):
    return Station(Library.load("songs.json"), seed=7, **options)


def test_one_round():
    radio = station(headlines=["rain", "wind"], rounds=1)
    assert radio.play(20) == [
        "(round 1)",
        "Delta",
        "Ember",
        "Fjord",
        "(rain)",
        "(wind)",
        "Cedar",
        "Amber",
        "Birch",
        "(rain)",
        "(wind)",
    ]
    assert (radio.now, radio.minutes) == ("silence", 20)


def test_request_plays_next_and_the_rotation_goes_on():
    radio = station(rounds=1)
    radio.play(3)
    before = radio.upcoming()
    assert radio.request("Cedar") == 1
    assert radio.play(10) == ["Cedar", "Fjord", "Cedar", "Amber", "Birch"]
    assert before == ["Fjord", "Cedar", "Amber", "Birch"]


def test_skip():
    radio = station(rounds=1)
    radio.play(2)
    assert [radio.now, radio.skip(), radio.skip(), radio.play()] == ["Delta", "Ember", "Fjord", ["Cedar"]]


def test_volume_and_the_end():
    radio = station(rounds=1)
    assert [radio.volume(4), radio.volume(4), radio.volume(-20)] == [9, 11, 0]
    radio.play(20)
    with pytest.raises(OffAir):
        radio.skip()


def test_console():
    console = Console(station(rounds=1))
    assert console.run("volume +3 # louder\nplay 2\nskip\nplay 2\nline\nairtime") == [
        "volume 8",
        "(round 1), Delta",
        "now Ember",
        "Fjord, Cedar",
        "Amber, Birch",
        "Cedar x1, Delta x1, Ember x1, Fjord x1",
    ]
    with pytest.raises(ConsoleError, match="line 2: unknown command dance"):
        console.run("now\ndance")


def test_library_is_checked():
    with pytest.raises(LibraryError, match="Amber is there twice"):
        Library([Song("Amber", "x"), Song("Amber", "y")])
