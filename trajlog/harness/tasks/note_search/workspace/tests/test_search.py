import pytest
from notes.index import Index
from notes.page import SearchPage


@pytest.fixture
def index():
    made = Index()
    texts = ["tea with milk", "Milk, tea and more tea", "coffee and milk", "milk tea for the whole week", "green tea"]
    for number, text in enumerate(texts, 1):
        made.put(number, text, day=10 - number)
    return made


def test_best_first(index):
    assert [(hit.number, hit.score) for hit in index.search("tea milk")] == [(2, 0.75), (1, 0.5), (4, 0.5)]


def test_equal_searches_run_once(index):
    for query in ("tea milk", "Milk  TEA", "the tea and milk, milk"):
        index.search(query)
    assert index.runs == 1


def test_pages(index):
    page = SearchPage(index, size=2)
    shown = [page.show("milk", number) for number in (2, 1)]
    assert shown == [
        ["3 (0.25) coffee and **milk**", "4 (0.25) **milk** tea for the whole week", "2 more"],
        ["1 (0.25) tea with **milk**", "2 (0.25) **Milk**, tea and more tea", "2 more"],
    ]


def test_tags(index):
    page = SearchPage(index)
    page.write(7, "Buy tea #shop #home")
    page.write(8, "lamp #home")
    page.tags.rename("home", "flat")
    assert (page.tags.cloud(), page.tags.numbers("home")) == ([("flat", 2), ("shop", 1)], [7, 8])
    assert page.erase(8) and page.show("lamp") == ["0 more"]


def test_edited_notes(index):
    index.search("green")
    index.put(5, "black tea")
    index.put(6, "green apples")
    assert [hit.number for hit in index.search("green")] == [6]
    assert index.runs == 2
