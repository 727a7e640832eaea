from sheets import Book


def column(sheet, letter, first, last):
    return [sheet.text(f"{letter}{row}") for row in range(first, last + 1)]


def test_fixed_parts_stay():
    sheet = Book().sheet("s")
    sheet.set("C1", "=$A1*B$1+2")
    sheet.fill_down("C1", 2)
    assert column(sheet, "C", 1, 3) == ["=$A1*B$1+2", "=$A2*B$1+2", "=$A3*B$1+2"]


def test_sums_are_copied_too():
    sheet = Book().sheet("s")
    for row in range(1, 5):
        sheet.set(f"A{row}", str(row * 10))
    sheet.set("B1", "=SUM(A1:A2)-A1")
    sheet.fill_down("B1", 2)
    assert column(sheet, "B", 1, 3) == ["=SUM(A1:A2)-A1", "=SUM(A2:A3)-A2", "=SUM(A3:A4)-A3"]
    assert [sheet.value(f"B{row}") for row in (1, 2, 3)] == [20, 30, 40]


def test_block_into_another_sheet():
    book = Book()
    first = book.sheet("first")
    first.set("A1", "7")
    first.set("B1", "=A1*2")
    first.set("B2", "=B1+SUM(A1:B1)")
    book.copy_block("first", "A1", "B2", "second", "C3")
    second = book.sheet("second")
    assert [second.text(name) for name in ("C3", "D3", "D4")] == ["7", "=C3*2", "=D3+SUM(C3:D3)"]
    assert [first.text(name) for name in ("B1", "B2")] == ["=A1*2", "=B1+SUM(A1:B1)"]
    assert (first.value("B2"), second.value("D4")) == (35, 35)


def test_insert_row_after_fill_moves_once():
    sheet = Book().sheet("s")
    sheet.set("C1", "=A1*B1+SUM(A1:A1)")
    sheet.fill_down("C1", 2)
    sheet.insert_row(2)
    assert column(sheet, "C", 1, 4) == [
        "=A1*B1+SUM(A1:A1)", "", "=A3*B3+SUM(A3:A3)", "=A4*B4+SUM(A4:A4)"
    ]


def test_insert_row_in_one_sheet_only():
    book = Book()
    book.sheet("a").set("B1", "=A5-SUM(A5:A6)")
    book.copy_block("a", "B1", "B1", "b", "B1")
    book.sheet("a").insert_row(3)
    assert [book.sheet(name).text("B1") for name in ("a", "b")] == ["=A6-SUM(A6:A7)", "=A5-SUM(A5:A6)"]


def test_copy_over_the_edge():
    book = Book()
    book.sheet("a").set("C3", "=A1+$B$2")
    book.copy_block("a", "C3", "C3", "b", "B2")
    copied = book.sheet("b")
    assert [copied.text("B2"), copied.value("B2"), book.sheet("a").text("C3")] == ["=#REF+$B$2", "#REF", "=A1+$B$2"]
