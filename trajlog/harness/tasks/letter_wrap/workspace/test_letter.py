import pytest
from letter import LetterError, render


def test_lines_are_filled():
    assert render("the quick brown fox jumps over the lazy dog", 16) == (
        "the quick brown\n"
        "fox jumps over\n"
        "the lazy dog"
    )


def test_list_items_are_indented():
    assert render("Bring:\n* a warm coat and boots\n* tea", 16) == (
        "Bring:\n"
        "  * a warm coat\n"
        "    and boots\n"
        "  * tea"
    )


def test_blank_line_between_paragraphs_is_kept():
    assert render("Dear Ann,\n\nthanks for the book.", 12) == (
        "Dear Ann,\n"
        "\n"
        "thanks for\n"
        "the book."
    )


def test_no_room():
    with pytest.raises(LetterError, match="4 columns"):
        render("* x", 4)
