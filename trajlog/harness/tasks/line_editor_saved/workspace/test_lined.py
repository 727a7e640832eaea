import pytest
from lined.editor import Editor, main


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "poem.txt"
    path.write_text("one\ntwo\nthree\n")
    return path


def test_edits(path):
    editor = Editor(path)
    editor.run(["i 2 a\\nb", "d 4 5", "s 1 3 /[ab]/x/", "u", "u", "r"])
    assert editor.buffer.lines == ["one", "a", "b"]
    assert editor.history.depth() == (2, 1)


def test_batch_is_one_edit(path):
    editor = Editor(path)
    editor.run(["{", "d 1 1", "s 1 2 /t/T/", "}", "p", "u", "p"])
    assert editor.messages == ["1: Two", "2: Three", "1: one", "2: two", "3: three"]


def test_command_line(path, tmp_path, capsys):
    script = tmp_path / "script"
    script.write_text("i 1 zero\nw\nw\nd 1 1\nq\nu\nq\nd 9 9\n")
    assert main([path, script]) == 0
    assert capsys.readouterr().out.splitlines() == ["4 lines written", "no changes", "not saved"]
    assert path.read_text() == "zero\none\ntwo\nthree\n"


def test_long_session_is_saved(path):
    editor = Editor(path, limit=3)
    editor.run([f"i 1 n{number}" for number in range(4)])
    editor.run(["w", "i 1 last", "w"])
    assert editor.messages == ["7 lines written", "8 lines written"]
    assert path.read_text().splitlines()[:2] == ["last", "n3"]


def test_bad_commands(path, tmp_path, capsys):
    codes = []
    for number, text in enumerate(["d 2 7", "x", "{\nd 1 1", "i 1 new"]):
        script = tmp_path / f"script{number}"
        script.write_text(text)
        codes.append(main([path, script]))
    assert codes == [2, 2, 2, 1]
