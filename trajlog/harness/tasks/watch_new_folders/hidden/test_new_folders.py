from watching.fakefs import FakeFS
from watching.index import WordIndex
from watching.watcher import Watcher


def tree(*folders):
    fs = FakeFS()
    for folder in ("/p", *folders):
        fs.make(folder)
    return fs


def test_folder_removed_and_made_again():
    fs, seen = tree(), []
    with Watcher(fs, "/p", lambda event: seen.append(f"{event.kind} {event.path}")):
        for number in range(3):
            fs.make("/p/build/lib")
            fs.write("/p/build/lib/x.o", str(number))
            fs.remove("/p/build")
        counts = fs.listeners()
    assert seen == ["created /p/build/lib/x.o", "removed /p/build/lib/x.o"] * 3
    assert (counts, len(seen)) == ({"/p": 1}, 6)


def test_watched_folders_are_known():
    fs = tree("/p/a")
    watcher = Watcher(fs, "/p", lambda event: None).start()
    states = [watcher.watched()]
    fs.make("/p/b/c")
    states.append(watcher.watched())
    fs.remove("/p/b/c")
    states.append(watcher.watched())
    watcher.stop()
    assert states == [["/p", "/p/a"], ["/p", "/p/a", "/p/b", "/p/b/c"], ["/p", "/p/a", "/p/b"]]
    assert (watcher.watched(), fs.listeners()) == ([], {})


def test_two_watchers_on_one_tree():
    fs, seen = tree(), []
    first = Watcher(fs, "/p", lambda event: seen.append(f"first {event.path}")).start()
    second = Watcher(fs, "/p", lambda event: seen.append(f"second {event.path}")).start()
    fs.make("/p/new")
    both = fs.listeners()
    first.stop()
    fs.write("/p/new/a", "x")
    second.stop()
    fs.write("/p/new/b", "x")
    assert (both, seen) == ({"/p": 2, "/p/new": 2}, ["second /p/new/a"])


def test_closed_index_stands_still():
    fs = tree("/p/docs")
    index = WordIndex(fs, "/p").open()
    fs.make("/p/docs/2024")
    fs.write("/p/docs/2024/may.txt", "rain and sun")
    index.close()
    fs.write("/p/docs/2024/june.txt", "sun")
    fs.remove("/p/docs")
    index.open()
    fs.make("/p/docs/2024")
    fs.write("/p/docs/2024/july.txt", "heat and sun")
    assert (index.find("sun"), index.updates) == (["/p/docs/2024/july.txt", "/p/docs/2024/may.txt"], 2)
    assert fs.listeners() == {"/p": 1, "/p/docs": 1, "/p/docs/2024": 1}
