from thumbs.album import Album
from thumbs.disk import Disk


def grey(*values):
    return f"P2 {len(values)} 1 255 " + " ".join(map(str, values))


class Clock:
    now = 50

    def __call__(self):
        return self.now


def started():
    clock = Clock()
    disk = Disk(clock)
    disk.write("/p/a.pgm", grey(1, 3, 5, 7))
    return clock, disk, Album(disk, clock, "/p")


def test_same_second_other_size():
    _, disk, album = started()
    seen = [album.sheet(2)]
    disk.write("/p/a.pgm", grey(10, 30, 50, 70))
    seen.append(album.sheet(2))
    disk.write("/p/a.pgm", grey(10, 40, 50, 80))
    seen.append(album.sheet(2))
    assert seen == [{"a.pgm": "2 6"}, {"a.pgm": "20 60"}, {"a.pgm": "25 65"}]
    assert len(album.index.made) == 3


def test_moved_over_another():
    clock, disk, album = started()
    clock.now = 40
    disk.write("/p/b.pgm", grey(100, 200))
    seen = [album.sheet(2)]
    disk.move("/p/b.pgm", "/p/a.pgm")
    seen += [album.sheet(2), album.sheet(1)]
    assert seen == [{"a.pgm": "2 6", "b.pgm": "100 200"}, {"a.pgm": "100 200"}, {"a.pgm": "150"}]
    assert album.index.paths() == ["/p/a.pgm"]


def test_restored_picture_with_a_saved_index():
    clock, disk, album = started()
    disk.write("/backup/a.pgm", grey(9, 9, 99, 99), mtime=7)
    album.sheet(2), album.sheet(1)
    disk.restore("/p/a.pgm", "/backup/a.pgm")
    again = Album(disk, clock, "/p", album.close())
    assert [again.sheet(2), again.sheet(1), again.sheet(2)] == [{"a.pgm": "9 99"}, {"a.pgm": "54"}, {"a.pgm": "9 99"}]
    assert again.index.made == [("/p/a.pgm", 2), ("/p/a.pgm", 1)]


def test_deleted_and_written_again_in_the_same_second():
    _, disk, album = started()
    seen = [album.index.thumb("/p/a.pgm", 1)]
    disk.delete("/p/a.pgm")
    disk.write("/p/a.pgm", grey(2, 4, 6, 8))
    seen.append(album.index.thumb("/p/a.pgm", 1))
    disk.write("/p/a.pgm", "P2 no pic", mtime=50)
    seen += [album.index.thumb("/p/a.pgm", 1), album.index.thumb("/p/a.pgm", 1)]
    assert (seen, len(album.index.made)) == (["4", "5", "?", "?"], 3)


def test_unused_thumbs_are_pruned():
    clock, disk, album = started()
    disk.write("/p/b.pgm", grey(5))
    album.sheet()
    clock.now = 90
    album.index.thumb("/p/b.pgm", 2)
    clock.now = 100
    assert (album.index.prune(older_than=30), album.index.paths()) == (["/p/a.pgm"], ["/p/b.pgm"])
