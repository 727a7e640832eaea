from letter import paragraph, render
from wrap import lines_of


def test_spaces_only_and_trailing_break():
    assert render("one two\n   \nthree four five\n", 9) == (
        "one two\n"
        "\n"
        "three\n"
        "four five\n"
    )


def test_empty_item_keeps_its_bullet():
    assert render("* \n* eggs and milk\n> ", 12).split("\n") == ["  *", "  * eggs and", "    milk", "|"]


def test_last_words_and_long_words_survive():
    assert list(lines_of("a incomprehensibilities b c".split(), 5)) == ["a", "incomprehensibilities", "b c"]


def test_one_word_and_none():
    got = [paragraph("hello", 20, "- "), paragraph("", 20, "- "), paragraph(" ", 20)]
    assert got == [["- hello"], ["-"], [""]]
