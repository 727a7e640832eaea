import pytest
from airwave.displays import Display
from airwave.player import Player, Silence
from airwave.songs import Playlist, Song


@pytest.fixture
def player():
    return Player(Playlist([Song("Abba", "SOS", 200), Song("Abba", "Eagle", 350), Song("Blur", "Song 2", 122)]))


def test_function_is_told(player):
    told = []
    player.on_song(lambda song: told.append(song.title))
    player.start()
    player.advance(400)
    assert told == ["SOS", "Song 2", "Eagle"]


def test_display_shows_the_song(player):
    display = Display(player)
    player.start()
    assert display.text == "Abba - SOS"
    player.advance(200)
    assert display.text == "Blur - Song 2"


def test_off(player):
    told = []
    player.on_song(told.append)
    player.off_song(told.append)
    player.start()
    assert (told, player.audience()) == ([], 0)


def test_empty_playlist():
    with pytest.raises(Silence):
        Player(Playlist()).start()
