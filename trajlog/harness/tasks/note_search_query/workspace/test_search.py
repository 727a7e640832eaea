import pytest
from notesearch.lexer import QueryError
from notesearch.notes import Note, Notebook
from notesearch.parser import parse


@pytest.fixture
def notebook():
    return Notebook([
        Note("Green tea", "steep two minutes", ("draft",)),
        Note("Black tea", "steep four minutes"),
        Note("Coffee", "grind it well", ("draft", "hot")),
        Note("Cocoa", "with warm milk"),
    ])


def test_terms_and_phrases(notebook):
    assert notebook.search("tea OR title:cocoa") == ["Green tea", "Black tea", "Cocoa"]
    assert notebook.search('"four minutes" steep') == ["Black tea"]


def test_precedence():
    assert str(parse("a b OR c AND (d OR e)")) == "((a & b) | (c & (d | e)))"


def test_not_behind(notebook):
    assert notebook.search("tea NOT tag:draft") == ["Black tea"]


def test_not_in_front(notebook):
    assert notebook.search("NOT draft tea") == ["Black tea"]


def test_mistake():
    with pytest.raises(QueryError) as caught:
        parse("tea OR )")
    assert str(caught.value) == "unexpected ')' at 7"
