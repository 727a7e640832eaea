import pytest
from playlists.library import Library, from_text
from playlists.m3u import export_m3u, import_m3u
from playlists.model import Playlist, Track
from playlists.textform import TextFormError, read_text


@pytest.fixture
def library():
    library = Library()
    library.save(Playlist("run", [Track("A \"quote\"", 180), Track("B", 200, {"bpm": 170})], {"volume": 60}))
    return library


def test_tracks_come_back(library):
    loaded = library.load("run")
    assert [(t.title, t.seconds, t.extra) for t in loaded.tracks] == [('A "quote"', 180, {}), ("B", 200, {"bpm": 170})]


def test_configure_a_group(library):
    library.configure("run", "fade.seconds", 4)
    assert (library.load("run").seconds(), library.load("run").setting("volume")) == (376, 60)


def test_configure_after_a_group(library):
    library.configure("run", "fade.seconds", 4)
    library.configure("run", "repeat", "all")
    assert library.load("run").settings == {"volume": 60, "fade": {"seconds": 4}, "repeat": "all"}
    assert library.load("run").setting("repeat") == "all"


def test_text_by_hand():
    loaded = from_text('# mine\nname = "x"\n[settings.fade]\nseconds = 2\n\n[[tracks]]\ntitle = "t"\nseconds = 9\n')
    assert (loaded.name, loaded.setting("fade.seconds"), loaded.seconds()) == ("x", 2, 9)


def test_bad_line():
    with pytest.raises(TextFormError, match="line 2"):
        read_text("a = 1\nb = oops\n")


def test_other_players(library):
    text = export_m3u(library.load("run"))
    assert text.split("\n")[2:4] == ['#EXTINF:180,A "quote"', "A _quote_.ogg"]
    library.save(import_m3u(text + "more/c.mp3\n"))
    assert [(t.title, t.seconds, t.extra) for t in library.load("run").tracks][1:] == [
        ("B", 200, {"file": "B.ogg"}), ("more/c", 0, {"file": "more/c.mp3"})
    ]
