import pytest
from watching.fakefs import FakeFS
from watching.index import WordIndex
from watching.watcher import Watcher


@pytest.fixture
def fs():
    fs = FakeFS()
    for folder in ("/home/docs/old", "/home/.git"):
        fs.make(folder)
    fs.write("/home/docs/a.txt", "first")
    return fs


def test_events_of_a_tree(fs):
    seen = []
    with Watcher(fs, "/home", lambda event: seen.append(f"{event.kind} {event.path}"), skip=[".git"]):
        fs.write("/home/docs/old/b.txt", "x")
        fs.write("/home/.git/HEAD", "x")
        fs.write("/home/docs/a.txt", "y")
        fs.remove("/home/docs")
    assert seen == [
        "created /home/docs/old/b.txt",
        "changed /home/docs/a.txt",
        "removed /home/docs/a.txt",
        "removed /home/docs/old/b.txt",
    ]


def test_nothing_is_reported_after_the_end(fs):
    seen = []
    with Watcher(fs, "/home", lambda event: seen.append(event.path)):
        fs.make("/home/docs/new/deep")
        fs.write("/home/docs/new/c.txt", "x")
    fs.write("/home/docs/new/d.txt", "x")
    fs.write("/home/docs/e.txt", "x")
    assert (seen, fs.listeners()) == (["/home/docs/new/c.txt"], {})


def test_index_finds_words(fs):
    index = WordIndex(fs, "/home").open()
    fs.write("/home/docs/b.txt", "Green tea")
    fs.write("/home/docs/c.txt", "black tea")
    fs.write("/home/docs/b.txt", "green eggs")
    assert (index.find("TEA"), index.find("green")) == (["/home/docs/c.txt"], ["/home/docs/b.txt"])


def test_started_twice(fs):
    watcher = Watcher(fs, "/home", print).start()
    with pytest.raises(RuntimeError, match="/home is watched already"):
        watcher.start()
    assert watcher.watched() == ["/home", "/home/docs", "/home/docs/old"]
