import pytest
from themes.css import css
from themes.library import Library
from themes.source import ThemeError


@pytest.fixture
def library():
    made = Library()
    made.add_file("base.ini")
    made.add("dark", "[text]\nfonts+ = Noto, Emoji\ncolour = white\n", "base")
    made.add("plain", "[text]\n-fonts\n[code]\nwrap = yes # long lines\n", "base")
    return made


def test_base(library):
    assert css(library.resolve("base")) == (
        ".code { font-family: Mono; white-space: no; }\n.text { color: black; font-family: Inter, sans-serif; }"
    )


def test_dropped_and_replaced(library):
    assert css(library.resolve("plain")) == (
        ".code { font-family: Mono; white-space: yes; }\n.text { color: black; }"
    )


def test_parent_after_child(library):
    for _ in range(2):
        dark = library.resolve("dark")
        assert dark.get("text", "fonts") == ["Inter", "sans-serif", "Noto", "Emoji"]
    assert library.resolve("base").get("text", "fonts") == ["Inter", "sans-serif"]


def test_order_of_names(library):
    library.add("black", "[text]\ncolour = gray\n", "dark")
    assert library.names() == ["base", "dark", "plain", "black"]


def test_unknown_parent(library):
    with pytest.raises(ThemeError, match="no theme nope"):
        library.add("x", "", "nope")
