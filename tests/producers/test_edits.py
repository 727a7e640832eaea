from hypothesis import given
from hypothesis import strategies as st

from trajlog.producers.edits import Edit, edits


def apply(text: str, found: list[Edit]) -> str:
    for edit in found:
        assert text.count(edit.old_str) == 1, (edit, text)
        text = text.replace(edit.old_str, edit.new_str)
    return text


def test_edits_take_whole_lines_and_only_as_many_as_name_one_place() -> None:
    before = "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 1\n    return -x\n"
    after = before.replace("x = 1\n    return -x", "x = 2\n    return -x")
    assert edits(before, after) == [Edit("def g():\n    x = 1", "def g():\n    x = 2", 6, 6)]
    assert edits("a = 1\nb = 1\n", "a = 1\nb = 2\n") == [Edit("b = 1", "b = 2", 2, 2)]


def test_lines_are_told_as_they_are_then_and_as_they_were() -> None:
    before = "import os\n\n\ndef f():\n    return 1\n"
    after = "import os\nimport sys\n\n\ndef f():\n    return 2\n"
    assert [(edit.line, edit.line_before) for edit in edits(before, after)] == [(2, 2), (6, 5)]


lines = st.lists(st.sampled_from(["a = 1\n", "b = 2\n", "return a\n", "\n", "    pass\n"]), min_size=1, max_size=8)


@given(lines, lines)
def test_edits_lead_from_any_text_to_any_other(before: list[str], after: list[str]) -> None:
    old, new = "first\n" + "".join(before) + "last\n", "first\n" + "".join(after) + "last\n"
    assert apply(old, edits(old, new)) == new
