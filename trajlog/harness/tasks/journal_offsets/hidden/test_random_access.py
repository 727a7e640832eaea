from journal.book import Book

TEXTS = ["Déjeuner à midi", "Call Bob", "寿司 🍣", "e\u0301 is not é", "end"]


def test_entry_after_an_accent_is_found_by_number(tmp_path):
    with Book(tmp_path / "a") as book:
        for text in TEXTS:
            book.append(text)
        assert [book.get(number) for number in reversed(range(5))] == TEXTS[::-1]
        assert (book.get(2), book.get(0), book.get(4)) == ("寿司 🍣", "Déjeuner à midi", "end")
        assert book.search("BOB") == [1]


def test_numbers_and_size_agree_with_the_file(tmp_path):
    path = tmp_path / "a"
    with Book(path) as book:
        for number, text in enumerate(TEXTS):
            assert book.append(text) == number
            assert book.size == path.stat().st_size
        assert [len(book), *book.search("é"), book.get(3)[-6:]] == [5, 0, 3, " not é"]


def test_reopened_journal_continues(tmp_path):
    path = tmp_path / "a"
    for text in TEXTS:
        with Book(path) as book:
            book.append(text)
    with Book(path) as book:
        assert list(book) == TEXTS
        assert book.get(4) == "end"
        assert len(book) == 5


def test_torn_last_entry_is_dropped(tmp_path):
    path = tmp_path / "a"
    with Book(path) as book:
        book.append("Déjeuner")
        whole = book.size
        book.append("à midi")
    path.write_bytes(path.read_bytes()[:-3])
    with Book(path) as book:
        assert list(book) == ["Déjeuner"]
        assert path.stat().st_size == whole
        book.append("après")
        assert list(book) == ["Déjeuner", "après"]
