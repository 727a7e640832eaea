from themes.css import css, fallback
from themes.library import Library

LIGHT = "[text]\nfonts = A, B\nsize = 10\n[head]\nfonts = H\nsizes = 3, 2, 1\n"
DARK = "[text]\nfonts+ = C\n[head]\nfonts+ = I, J\n"
NIGHT = "[text]\nfonts+ = D, A\n[head]\nsizes+ = 0\n"


def family():
    library = Library()
    library.add("light", LIGHT)
    library.add("dark", DARK, "light")
    library.add("night", NIGHT, "dark")
    return library


def fonts(library, *names):
    return [library.resolve(name).get("text", "fonts") for name in names]


def test_grandchild_first():
    assert fonts(family(), "night", "dark", "light", "night") == [
        ["A", "B", "C", "D"], ["A", "B", "C"], ["A", "B"], ["A", "B", "C", "D"]
    ]


def test_siblings():
    library = family()
    library.add("sepia", "[text]\nfonts+ = S\n", "light")
    assert fonts(library, "dark", "sepia", "dark", "light") == [
        ["A", "B", "C"], ["A", "B", "S"], ["A", "B", "C"], ["A", "B"]
    ]


def test_caller_changes_a_resolved_style():
    library = family()
    style = fallback(library.resolve("dark"), "text", "Last")
    fallback(style, "head", "Last")
    style.groups["text"]["size"] = "99"
    assert css(style).endswith(".text { font-family: A, B, C, Last; size: 99; }")
    assert css(library.resolve("dark")) == (
        ".head { font-family: H, I, J; sizes: 3, 2, 1; }\n.text { font-family: A, B, C; size: 10; }"
    )
    assert fonts(library, "light", "night") == [["A", "B"], ["A", "B", "C", "D"]]


def test_one_rule_text_in_two_libraries():
    first, second = family(), family()
    fallback(first.resolve("light"), "head", "x")
    first.resolve("light").get("head", "sizes").append("7")
    seen = [library.resolve("light").get("head", "sizes") for library in (first, second)]
    assert seen == [["3", "2", "1"], ["3", "2", "1"]]


def test_theme_added_after_its_parent_was_changed_by_a_caller():
    library = family()
    library.resolve("night").get("head", "sizes").clear()
    library.resolve("light").get("text", "fonts").insert(0, "Z")
    library.add("late", "[text]\nfonts+ = L\n[head]\nsizes+ = 9, 3\n", "night")
    late = library.resolve("late")
    assert late.get("text", "fonts") == ["A", "B", "C", "D", "L"]
    assert late.get("head", "sizes") == ["3", "2", "1", "0", "9"]
