import pytest
from thumbs.album import Album
from thumbs.disk import Disk
from thumbs.picture import Picture, PictureError

CAT = "P2 4 4 255 " + "10 10 20 20 " * 2 + "30 30 40 40 " * 2
DOG = "P2 4 4 255 " + "50 50 60 60 " * 2 + "70 70 80 80 " * 2


class Clock:
    now = 1000

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def disk(clock):
    made = Disk(clock)
    made.write("/old/cat.pgm", DOG, mtime=100)
    made.write("/pics/cat.pgm", CAT)
    made.write("/pics/notes.txt", "x")
    return made


def test_scaling():
    assert Picture.parse("P2 4 2 10 0 10 5 5 10 0 5 5").fit(2).text() == "127 127"
    with pytest.raises(PictureError, match="3 values for 2 x 2"):
        Picture.parse("P2 2 2 9 1 2 3")


def test_thumbs_are_made_once(disk, clock):
    album = Album(disk, clock, "/pics")
    for _ in range(2):
        assert album.sheet() == {"cat.pgm": "10 20/30 40"}
    saved = album.close()
    again = Album(disk, clock, "/pics", saved)
    again.sheet(2), again.sheet(1)
    assert (album.index.made, again.index.made) == ([("/pics/cat.pgm", 2)], [("/pics/cat.pgm", 1)])


def test_newer_picture(disk, clock):
    album = Album(disk, clock, "/pics")
    album.sheet()
    clock.now += 60
    disk.write("/pics/cat.pgm", DOG)
    assert album.sheet() == {"cat.pgm": "50 60/70 80"}


def test_older_picture(disk, clock):
    album = Album(disk, clock, "/pics")
    album.sheet()
    disk.restore("/pics/cat.pgm", "/old/cat.pgm")
    assert album.sheet() == {"cat.pgm": "50 60/70 80"}


def test_deleted_pictures(disk, clock):
    album = Album(disk, clock, "/pics")
    album.sheet()
    disk.delete("/pics/cat.pgm")
    assert (album.sheet(), album.index.paths()) == ({}, [])
