import pytest
from journal.book import Book
from journal.frame import FrameError


@pytest.fixture
def book(tmp_path):
    with Book(tmp_path / "notes.journal") as book:
        yield book


def test_plain_entries_come_back_in_order(book):
    assert [book.append("Call Bob"), book.append(""), book.append("Pay rent")] == [0, 1, 2]
    assert list(book) == ["Call Bob", "", "Pay rent"]
    assert book.get(2) == "Pay rent"
    assert book.search("call") == [0]


def test_damage_is_noticed(tmp_path):
    path = tmp_path / "notes.journal"
    with Book(path) as book:
        book.append("Call Bob")
    path.write_bytes(path.read_bytes().replace(b"Bob", b"Rob"))
    with pytest.raises(FrameError, match="checksum"):
        Book(path)


def test_entries_with_accents_come_back(book):
    book.append("Déjeuner à midi")
    book.append("Call Bob")
    assert list(book) == ["Déjeuner à midi", "Call Bob"]


def test_entries_of_several_lines_come_back(book):
    book.append("one\ntwo\n")
    book.append("three")
    assert list(book) == ["one\ntwo\n", "three"]
