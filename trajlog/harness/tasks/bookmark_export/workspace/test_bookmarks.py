import pytest
from bookmarks import Bookmark, ImportFailed, export_page, import_page


def test_export():
    page = export_page([Bookmark("Q & A", "https://a.test/", ("work",))])
    assert page.split("\n")[2:5] == ["<DT><H3>work</H3>", "<DL>", '<DT><A HREF="https://a.test/">Q &amp; A</A>']


def test_folders_come_back():
    marks = [Bookmark("top", "u:1"), Bookmark("x", "u:2", ("a",)), Bookmark("y", "u:3", ("a", "b")),
             Bookmark("z", "u:4", ("c",))]
    assert [mark.folder for mark in import_page(export_page(marks))] == [(), ("a",), ("a", "b"), ("c",)]


def test_special_characters():
    mark = Bookmark('<b> & "c"', 'https://x.test/?a=1&b="2"')
    assert import_page(export_page([mark]))[0].title == '<b> & "c"'


def test_title_about_entities():
    loaded = import_page(export_page([Bookmark("What &lt; means", "u:1")]))
    assert loaded[0].title == "What &lt; means"


def test_other_file():
    with pytest.raises(ImportFailed):
        import_page("<html>")
