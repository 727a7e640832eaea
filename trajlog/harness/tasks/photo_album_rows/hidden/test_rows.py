from albumfile import Album
from contact_sheet import sheet
from library import Library

ROWS = [
    ("a.jpg", "2020-01-05", 10, ("snow", "hut")), ("b.jpg", "2022-02-01", 20, ("snow",)),
    ("c.jpg", "2020-01-05", 10, ()), ("d.jpg", "2021-07-07", 30, ("lake", "hut")),
    ("e.jpg", "2022-02-01", 20, ("lake", "snow", "hut")), ("f_long_name.jpg", "2019-03-03", 5, ()),
]


def make():
    library = Library(Album())
    for row in ROWS:
        library.add(*row)
    return library


def test_tags_of_the_hits():
    found = make().search("hut")
    assert [(row.name, row.taken, row.tags) for row in found] == [
        ('a.jpg', '2020-01-05', ['snow', 'hut']),
        ('d.jpg', '2021-07-07', ['lake', 'hut']),
        ('e.jpg', '2022-02-01', ['lake', 'snow', 'hut']),
    ]


def test_newest():
    assert [(row.name, row.tags) for row in make().newest(3)] == [
        ('b.jpg', ['snow']), ('e.jpg', ['lake', 'snow', 'hut']), ('d.jpg', ['lake', 'hut']),
    ]


def test_duplicates_and_tags():
    library = make()
    tagged = library.by_tag()
    assert library.duplicates() == [['a.jpg', 'c.jpg'], ['b.jpg', 'e.jpg']]
    assert {tag: [row.name for row in rows] for tag, rows in tagged.items()} == {
        None: ['c.jpg', 'f_long_name.jpg'],
        'hut': ['a.jpg', 'd.jpg', 'e.jpg'],
        'lake': ['d.jpg', 'e.jpg'],
        'snow': ['a.jpg', 'b.jpg', 'e.jpg'],
    }


def test_answers_keep_their_values():
    library = make()
    first = library.search("snow")
    first[0].tags.append("print")
    library.add("g.jpg", "2023-01-01", 50, ("snow",))
    second = library.search("snow -lake")
    assert [row.tags for row in first] == [['snow', 'hut', 'print'], ['snow'], ['lake', 'snow', 'hut']]
    assert [(row.name, row.tags) for row in second] == [
        ('a.jpg', ['snow', 'hut']), ('b.jpg', ['snow']), ('g.jpg', ['snow']),
    ]


def test_sheet():
    assert sheet(make().search(""), columns=2, width=8) == [
        'a.jpg    b.jpg', '  all: snow', 'c.jpg    d.jpg', 'e.jpg    f_long_~',
    ]
