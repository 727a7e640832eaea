from bookmarks import Bookmark, export_page, import_page


def test_every_entity_as_text():
    titles = ["&amp;", "&lt;&gt;", "&quot;", "&#10;", "&amp;amp;", "&amp;lt;"]
    loaded = import_page(export_page([Bookmark(title, "u:" + title) for title in titles]))
    assert [mark.title for mark in loaded] == ["&amp;", "&lt;&gt;", "&quot;", "&#10;", "&amp;amp;", "&amp;lt;"]
    assert [mark.url for mark in loaded] == [
        "u:&amp;", "u:&lt;&gt;", "u:&quot;", "u:&#10;", "u:&amp;amp;", "u:&amp;lt;"
    ]


def test_folder_names():
    mark = Bookmark("t", "u:1", ("R&amp;D", 'a "b" &quot;c&quot;', "<x>"))
    assert import_page(export_page([mark]))[0].folder == ("R&amp;D", 'a "b" &quot;c&quot;', "<x>")


def test_line_break_in_title():
    assert import_page(export_page([Bookmark("one\ntwo &#10; three", "u:1")]))[0].title == "one\ntwo &#10; three"


def test_exported_text_is_as_before():
    assert export_page([Bookmark("a &lt; b", "u:?x=1&y=2")]) == (
        '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL>\n<DT><A HREF="u:?x=1&amp;y=2">a &amp;lt; b</A>\n</DL>\n'
    )


def test_three_rounds():
    marks = [Bookmark("x &amp;gt; y & <z>", "u:&quot;", ("&lt;",))]
    for _ in range(3):
        marks = import_page(export_page(marks))
    assert (marks[0].title, marks[0].url, marks[0].folder) == ("x &amp;gt; y & <z>", "u:&quot;", ("&lt;",))
