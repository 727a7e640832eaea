from board.join import NamedResults
from board.live import LiveBoard
from board.records import Rename, Result


def test_any_size_of_page():
    results = [f"{at} p{at % 3} {at % 5}" for at in range(10, 100, 7)]
    renames = [f"{at} p{at % 3} n{at}" for at in range(5, 120, 4)]
    whole = LiveBoard(results, renames, page_size=99)
    lines = whole.refresh_all()
    for size in range(1, 8):
        board = LiveBoard(results, renames, page_size=size)
        assert board.refresh_all() == lines
        assert board.ticker == whole.ticker
    assert (lines, whole.ticker[:4]) == (
        ["1. n85 10 (5)", "2. n77 9 (4)", "3. n81 7 (4)"],
        ["p1 is now n25", "n17 is now n29", "n21 is now n45", "n25 is now n49"],
    )


def test_renames_arrive_late():
    arrived = [Rename(1, "a", "Ada")]

    def renames():
        while arrived:
            yield arrived.pop(0)

    class Feed:
        def __iter__(self):
            return self

        def __next__(self):
            if not arrived:
                raise StopIteration
            return arrived.pop(0)

    source = NamedResults([Result(at, "a", at) for at in (2, 4, 6, 8)], Feed())
    names = [named.name for named in source.page(2)]
    arrived += [Rename(5, "a", "Adele"), Rename(7, "b", "Bo"), Rename(8, "a", "Adam")]
    names += [named.name for named in source.page(1) + source.page(5) + source.page(1)]
    assert (names, source.num_results, list(renames())) == (["Ada", "Ada", "Adele", "Adam"], 4, [])


def test_nothing_is_read_ahead():
    read = []

    def numbered(kind, make):
        at = 0
        while True:
            at += 10
            read.append(f"{kind}{at}")
            yield make(at)

    source = NamedResults(
        numbered("result ", lambda at: Result(at, "x", 1)), numbered("name ", lambda at: Rename(at + 5, "x", f"x{at}"))
    )
    pages = [[(named.at, named.name) for named in source.page(size)] for size in (1, 2, 0, 1)]
    assert (pages, sorted(read)) == (
        [[(10, "x")], [(20, "x10"), (30, "x20")], [], [(40, "x30")]],
        ["name 10", "name 20", "name 30", "name 40", "result 10", "result 20", "result 30",
        "result 40"],
    )


def test_page_then_the_rest():
    source = NamedResults(
        [Result(1, "a", 1), Result(2, "a", 1), Result(9, "b", 1), Result(9, "a", 1)],
        [Rename(2, "a", "one"), Rename(3, "b", "two"), Rename(9, "a", "three"), Rename(9, "a", "four")],
    )
    first = source.page(1)
    assert [named.name for named in (*first, *source)] == ["a", "one", "two", "four"]
