import pytest
from lined.editor import Editor, main


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("milk\n")
    return path


def states(editor, *commands):
    found = []
    for command in commands:
        editor.run([command])
        found.append(editor.history.clean)
    return found


def test_back_to_what_was_saved(path):
    editor = Editor(path, limit=4)
    editor.run([f"i 1 item{number}" for number in range(6)] + ["w", "i 1 a", "i 1 b"])
    seen = states(editor, "u", "u", "u", "r", "r")
    assert seen == [False, True, False, True, False]
    assert editor.buffer.lines[:2] == ["a", "item5"]


def test_what_was_read_is_out_of_reach(path):
    editor = Editor(path, limit=2)
    seen = states(editor, "i 1 a", "i 1 b", "i 1 c", "u", "u", "u", "w", "r")
    assert seen == [False, False, False, False, False, False, True, False]
    assert (path.read_text(), editor.messages) == ("a\nmilk\n", ["nothing to undo", "2 lines written"])


def test_saved_state_drops_out_of_the_history(path):
    editor = Editor(path, limit=3)
    editor.run(["i 1 a", "w"])
    seen = states(editor, *[f"i 1 n{number}" for number in range(8)], "u", "u", "u", "u", "r")
    assert seen == [False] * 13
    assert (editor.messages, editor.history.depth()) == (["2 lines written", "nothing to undo"], (1, 2))


def test_quit_is_refused_as_long_as_something_is_unsaved(path, tmp_path, capsys):
    script = tmp_path / "script"
    lines = ["i 1 a", "i 1 b", "w", "s 1 1 /b/c/", "q", "d 1 1", "q", "u", "u", "q", "i 1 never"]
    script.write_text("\n".join(lines))
    assert main([path, script, "2"]) == 0
    assert capsys.readouterr().out.splitlines() == ["3 lines written", "not saved", "not saved"]
    assert path.read_text().split() == ["b", "a", "milk"]


def test_another_edit_in_the_place_of_the_saved_one(path):
    editor = Editor(path, limit=3)
    editor.run(["i 1 a", "i 1 b", "i 1 c", "i 1 d", "w", "u", "u", "i 1 x", "i 1 y"])
    seen = [editor.history.clean, *states(editor, "i 1 z", "u", "u")]
    editor.run(["w"])
    assert (seen, editor.messages[-1]) == ([False, False, False, False], "4 lines written")
    assert path.read_text().split() == ["x", "b", "a", "milk"]
