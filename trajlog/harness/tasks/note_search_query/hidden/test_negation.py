import pytest
from notesearch.lexer import QueryError
from notesearch.notes import Note, Notebook
from notesearch.parser import parse


def shapes(*queries):
    return [str(parse(query)) for query in queries]


def test_not_takes_one_thing():
    assert shapes("NOT a b c", "a NOT b c", "NOT a AND b OR c", 'NOT "x y" z', "NOT title:a b") == [
        "(!a & b & c)", "(a & !b & c)", "((!a & b) | c)", '(!"x y" & z)', "(!title:a & b)"
    ]


def test_not_before_brackets():
    assert shapes("NOT (a b) c", "NOT (a OR b) c OR d", "(NOT a b) NOT c", "-(a b) c") == [
        "(!(a & b) & c)", "((!(a | b) & c) | d)", "((!a & b) & !c)", "(!(a & b) & c)"
    ]


def test_double_not():
    assert shapes("NOT NOT a b", "NOT -a b", "a NOT NOT NOT b c", "not a") == [
        "(!!a & b)", "(!!a & b)", "(a & !!!b & c)", "(not & a)"
    ]


def test_search_without_drafts():
    notes = [Note("one", "tea"), Note("two", "tea", ("draft",)), Note("three", "milk"), Note("four", "x", ("old",))]
    notebook = Notebook(notes)
    queries = ("NOT tag:draft tea", "NOT tag:draft NOT tag:old", "NOT NOT tea", "NOT tea OR NOT draft", "-tea -milk")
    assert [notebook.search(query) for query in queries] == [
        ["one"], ["one", "three"], ["one", "two"], ["one", "three", "four"], ["four"]
    ]


def test_positions_of_mistakes():
    found = []
    for query in ("NOT", "a NOT", "NOT OR a", "(NOT a", "NOT )"):
        with pytest.raises(QueryError) as caught:
            parse(query)
        found.append(caught.value.position)
    assert found == [3, 5, 4, 6, 4]
