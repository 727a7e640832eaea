from pathlib import Path

import pytest
from builder import Builder, BuildError
from builder.errors import Cycle, RuleError
from builder.files import Files

RULES = Path("build.rules").read_text(encoding="utf-8")


@pytest.fixture
def files():
    return Files({"app.txt": "one\n%include parts/menu.txt\ntwo", "parts/menu.txt": "menu", "notes.txt": "note"})


def test_build(files):
    builder = Builder(RULES, files)
    assert builder.build("both.out") == "<\n>\nMENU\nONE\nTWO\nnote"
    assert builder.runs == ["both.out", "page.out", "app.out"]


def test_nothing_runs_twice(files):
    builder = Builder(RULES, files)
    for _ in range(3):
        builder.build("page.out")
    assert builder.runs == ["page.out", "app.out"]


def test_same_text_again_causes_nothing(files):
    builder = Builder(RULES, files)
    builder.build("page.out")
    files.write("parts/menu.txt", "Menu")
    assert builder.build("page.out") == "<\nONE\nMENU\nTWO\n>"
    assert builder.runs == ["page.out", "app.out", "app.out"]


def test_missing_file_is_added(files):
    files.remove("parts/menu.txt")
    builder = Builder(RULES, files)
    with pytest.raises(BuildError, match="no such file: parts/menu.txt"):
        builder.build("app.out")
    files.write("parts/menu.txt", "new")
    assert builder.build("app.out") == "ONE\nNEW\nTWO"
    assert builder.runs == ["app.out", "app.out"]


def test_wrong_rules(files):
    with pytest.raises(RuleError, match="line 2: unknown step jump"):
        Builder("a:\n    jump", files)
    with pytest.raises(Cycle, match="a -> b -> a"):
        Builder("a:\n    read b\nb:\n    read a", files).build("a")
