import gc

from airwave.displays import Display, Log
from airwave.player import Player
from airwave.songs import Playlist, Song


def make():
    songs = [Song(name, f"{name} {n}", 100 + n) for n, name in enumerate(["Cake", "Dodo", "Elbow", "Cake", "Dodo"])]
    return Player(Playlist(songs), jingle_every=2)


def test_log_of_a_whole_list():
    player = make()
    log = Log(player)
    player.start()
    player.advance(10_000)
    assert log.lines == [
        'Cake - Cake 0 (100 s)',
        'Dodo - Dodo 1 (101 s)',
        '-- jingle after 2',
        'Elbow - Elbow 2 (102 s)',
        'Cake - Cake 3 (103 s)',
        '-- jingle after 4',
        'Dodo - Dodo 4 (104 s)',
    ]


def test_dropped_display_is_not_kept():
    player = make()
    calls = []

    class Noisy(Display):
        def show(self, song):
            calls.append(song.title)

    noisy = Noisy(player)
    player.start()
    player.advance(100)
    del noisy
    gc.collect()
    player.advance(150)
    assert (calls, player.audience()) == (['Cake 0', 'Dodo 1'], 0)


def test_closed_display_and_its_neighbour():
    player = make()
    left, right = Display(player, 6), Display(player, 4)
    player.start()
    left.close()
    player.advance(150)
    assert (left.text, right.text, player.audience()) == ('', 'Dodo', 1)


def test_twice_registered_and_in_order():
    player = make()
    told = []

    class Named:
        def __init__(self, name):
            self.name = name

        def hear(self, song):
            told.append(f"{self.name} {song.title}")

    one, two = Named("one"), Named("two")
    for _ in range(2):
        player.on_song(one.hear)
    player.on_song(lambda song: told.append("function"))
    player.on_song(two.hear)
    player.on_song(one.hear)
    player.start()
    assert (told, player.audience()) == (['one Cake 0', 'function', 'two Cake 0'], 3)
    del two
    gc.collect()
    player.off_song(one.hear)
    player.advance(100)
    assert told[3:] == ['function']
