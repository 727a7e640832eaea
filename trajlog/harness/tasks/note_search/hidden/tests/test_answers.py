from notes.index import Index
from notes.page import SearchPage
from notes.shaping import boost, mark, newest_first


def filled():
    index = Index()
    for number, text in enumerate(["red box", "red red box", "a red hat", "box of boxes red", "blue box"], 1):
        index.put(number, text, day=number)
    return index


def plain(hits):
    return [(hit.number, hit.score) for hit in hits]


def test_marks_are_not_kept():
    page = SearchPage(filled())
    shown = [page.show("hat red")[0] for _ in range(3)]
    assert shown == ["3 (1.25) a **red** **hat**", "3 (1.25) a **red** **hat**", "3 (1.25) a **red** **hat**"]
    index = filled()
    mark(index.search("hat"), ["hat"])
    assert index.search("hat")[0].pieces == ["a red hat"]


def test_boost_does_not_add_up():
    index = filled()
    page = SearchPage(index, size=2)
    page.pinned = {4}
    shown = [page.show("red")[0] for _ in range(3)]
    page.pinned = set()
    shown.append(page.show("red")[0])
    assert shown == [
        "2 (0.5) **red** **red** box", "2 (0.5) **red** **red** box", "2 (0.5) **red** **red** box",
        "2 (0.5) **red** **red** box",
    ]
    assert plain(index.search("red")) == [(2, 0.5), (1, 0.25), (3, 0.25), (4, 0.25)]


def test_order_of_one_answer():
    index = filled()
    dated = [hit.number for hit in newest_first(index.search("box"))]
    boosted = plain(boost(index.search("box"), {5}, 3))
    assert (dated, boosted) == ([5, 4, 2, 1], [(5, 0.75), (1, 0.25), (2, 0.25), (4, 0.25)])
    assert plain(index.search("box")) == [(1, 0.25), (2, 0.25), (4, 0.25), (5, 0.25)]


def test_pages_in_any_order():
    index = filled()
    page = SearchPage(index, size=1)
    counts = [page.show("box red", number)[-1] for number in (3, 1, 2, 9, 1)]
    assert counts == ["2 more", "2 more", "2 more", "3 more", "2 more"]
    assert index.runs == 1


def test_written_and_erased_notes():
    page = SearchPage(Index(), size=2)
    shown = []
    for number in (1, 2, 3):
        page.write(number, f"plan {number} #work", day=number)
        shown.append(page.show("plan", order="date"))
    page.erase(2)
    shown.append(page.show("plan"))
    assert [len(lines) for lines in shown] == [2, 3, 3, 3]
    assert shown[-1] == ["1 (0.5) **plan** 1 #work", "3 (0.5) **plan** 3 #work", "0 more"]


def test_first_answer_is_a_copy_as_well():
    index = filled()
    first = index.search("blue")
    first[0].score = 99
    first[0].pieces.append("x")
    first.clear()
    again = index.search("blue")
    assert (plain(again), again[0].pieces, index.runs) == ([(5, 1.0)], ["blue box"], 1)
