from lending.desk import Desk


def test_lines_of_titles_loaded_together():
    desk = Desk(["a", "b", "c"])
    desk.hold("ada", "a")
    desk.hold("ben", "b")
    desk.hold("ada", "b")
    desk.hold("cleo", "c")
    lines = {title: list(desk.shelf.line(title)) for title in "abc"}
    assert lines == {"a": ["ada"], "b": ["ben", "ada"], "c": ["cleo"]}


def test_lines_of_titles_added_later():
    desk = Desk(["a"])
    desk.hold("ada", "a")
    desk.shelf.add(["b", "c", "a"])
    desk.hold("ben", "b")
    desk.hold("cleo", "c")
    desk.hold("dora", "a")
    lines = [desk.shelf.line(title) for title in desk.shelf.titles()]
    assert lines == [["ada", "dora"], ["ben"], ["cleo"]]
    assert [desk.shelf.free(title) for title in "abc"] == [2, 1, 1]


def test_returned_copy_is_not_set_aside_for_readers_of_other_titles():
    desk = Desk(["a", "b"])
    desk.borrow("ada", "a")
    desk.borrow("ben", "b")
    desk.hold("cleo", "b")
    served = [desk.give_back("ada", "a"), desk.give_back("ben", "b")]
    assert served == [None, "cleo"]
    assert desk.loans == [("cleo", "b")]
