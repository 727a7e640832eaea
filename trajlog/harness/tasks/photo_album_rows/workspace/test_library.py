import pytest
from albumfile import Album, AlbumError
from contact_sheet import sheet
from library import Library
from query import QueryError

TEXT = """
dunes.jpg|2023-06-01|2500|beach,sand
oma.jpg|2023-06-02|900|family,beach
fog.jpg|2024-01-09|3100|
gulls.jpg|2024-05-05|2100|beach,birds
"""


@pytest.fixture
def library():
    return Library(Album(TEXT))


def test_counts(library):
    assert [library.count(text) for text in ("beach", "beach -family", "taken:2024 size>2500")] == [3, 2, 1]
    assert library.summary() == {"2023": (2, 3400), "2024": (2, 5200)}


def test_search_answers_the_photos(library):
    found = library.search("beach -family")
    assert [(row.name, row.size) for row in found] == [("dunes.jpg", 2500), ("gulls.jpg", 2100)]


def test_limit(library):
    assert [row.name for row in library.search("beach", limit=1)] == ["dunes.jpg"]
    assert sheet(library.search("taken:2024-01"))[:1] == ["fog.jpg"]


def test_tail(library):
    assert library.tail(2) == ["fog.jpg", "gulls.jpg"]


def test_refused():
    with pytest.raises(AlbumError, match="photo 1"):
        Album("dunes.jpg|2023")
    with pytest.raises(QueryError, match="sand"):
        Library(Album(TEXT)).count("sand -sand")
