"""The task loader names the file, the field and what to do."""

import shutil
from pathlib import Path

import pytest

from trajlog.errors import TaskError
from trajlog.harness.task import Task, is_test_file, load_task

DEMO_TASKS = Path(__file__).parents[2] / "examples" / "demo_tasks"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copied = tmp_path / "door"
    shutil.copytree(DEMO_TASKS / "door", copied)
    return copied


def edit_toml(folder: Path, old: str, new: str) -> None:
    path = folder / "task.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def refusal(folder: Path) -> str:
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    return str(caught.value)


def test_every_field_is_read(folder: Path) -> None:
    task = load_task(folder)
    assert task == Task(
        task_id="door",
        title="The door stays open",
        category="lifecycle",
        difficulty=1,
        debugger="avoid",
        split="train",
        statement=(folder / "statement.md").read_text().strip(),
        workspace={name: (folder / "workspace" / name).read_bytes() for name in ("door.py", "test_door.py")},
        source_files=("door.py",),
        solution={"door.py": (folder / "solution" / "door.py").read_bytes()},
        visible_tests=("test_door.py",),
        hidden_tests={"test_error.py": (folder / "hidden" / "test_error.py").read_bytes()},
        expected_ids=(
            "test_door.py::test_open_inside",
            "test_door.py::test_closed_after",
            "test_error.py::test_closed_after_error",
        ),
        timeout_s=20.0,
    )


def test_a_task_cannot_be_changed(folder: Path) -> None:
    with pytest.raises(AttributeError):
        load_task(folder).title = "another"  # type: ignore[misc]


def test_nested_paths_are_posix_and_caches_are_left_out(folder: Path) -> None:
    cache = folder / "workspace" / "pkg" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "door.cpython-311.pyc").write_bytes(b"solution")
    (folder / "workspace" / ".pytest_cache").mkdir()
    (folder / "workspace" / ".pytest_cache" / "README.md").write_bytes(b"")
    (folder / "workspace" / "pkg" / "data.bin").write_bytes(b"\xff\x00")
    assert sorted(load_task(folder).workspace) == ["door.py", "pkg/data.bin", "test_door.py"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('category = "lifecycle"', 'category = "life"', ["$.category", "'life'", "concurrency"]),
        ('debugger = "avoid"', 'debugger = "never"', ["$.debugger", "recommended, optional, avoid"]),
        ('debugger = "avoid"\n', "", ["missing required field `debugger`", "The fields are title"]),
        ('debugger = "avoid"', 'debugger = "avoid"\nauthor = "me"', ["`author`", "The fields are title"]),
        ("timeout_s = 20.0", "timeout_s = 20.0\nruns = 0", ["runs is 0", "between 1 and 20"]),
        ("difficulty = 1", "difficulty = 6", ["difficulty is 6", "between 1 (easy) and 5"]),
        ("difficulty = 1", 'difficulty = "1"', ["$.difficulty", "int"]),
        ("timeout_s = 20.0", "timeout_s = 0.0", ["timeout_s is 0.0", "above 0"]),
        ("timeout_s = 20.0", "timeout_s = nan", ["timeout_s is nan"]),
        ('title = "The door stays open"', 'title = " "', ["title is empty"]),
        ('["door.py"]', '["gate.py"]', ["source_files", "'gate.py'", "workspace/"]),
        ('["door.py"]', "[]", ["source_files is empty"]),
        ('["door.py"]', '["door.py", "door.py"]', ["source_files", "twice"]),
        ('["door.py"]', '["test_door.py"]', ["source_files", "test 'test_door.py'"]),
        ("::test_open_inside", "", ["expected_ids", "'test_door.py'", "file::test"]),
        ("test_door.py::test_open_inside", "test_gate.py::test_open", ["expected_ids", "test_gate.py"]),
        ("test_error.py::test_closed_after_error", "test_door.py::test_x", ["no test of 'test_error.py'"]),
        ('title = "The door stays open"', "title = The door", ["cannot be read as TOML", "line 1"]),
    ],
)
def test_wrong_fields_are_named(folder: Path, old: str, new: str, words: list[str]) -> None:
    edit_toml(folder, old, new)
    message = refusal(folder)
    assert "task.toml" in message
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("remove", "words"),
    [
        ("task.toml", ["task.toml is missing", "expected_ids"]),
        ("statement.md", ["statement.md is missing"]),
        ("workspace/test_door.py", ["workspace", "no test_*.py", "visible test"]),
        ("hidden/test_error.py", ["hidden", "holds no file"]),
        ("solution/door.py", ["solution", "holds no file"]),
    ],
)
def test_missing_files_are_named(folder: Path, remove: str, words: list[str]) -> None:
    (folder / remove).unlink()
    if remove.startswith("workspace"):
        edit_toml(folder, '    "test_door.py::test_open_inside",\n    "test_door.py::test_closed_after",\n', "")
    message = refusal(folder)
    for word in words:
        assert word in message


def test_missing_folder_is_named(folder: Path) -> None:
    shutil.rmtree(folder / "hidden")
    assert "hidden is missing" in refusal(folder)
    assert "is not a folder" in refusal(folder / "nowhere")


def test_solution_outside_the_sources_is_refused(folder: Path) -> None:
    (folder / "solution" / "extra.py").write_text("x = 1\n")
    assert "extra.py is not in source_files" in refusal(folder)


def test_unchanged_solution_is_refused(folder: Path) -> None:
    shutil.copy(folder / "workspace" / "door.py", folder / "solution" / "door.py")
    assert "equals the buggy file" in refusal(folder)


def test_hidden_file_over_a_visible_one_is_refused(folder: Path) -> None:
    shutil.copy(folder / "workspace" / "test_door.py", folder / "hidden" / "test_door.py")
    assert "would replace workspace/test_door.py" in refusal(folder)


def test_hidden_data_without_a_test_is_refused(folder: Path) -> None:
    (folder / "hidden" / "test_error.py").rename(folder / "hidden" / "data.json")
    edit_toml(folder, '    "test_error.py::test_closed_after_error",\n', "")
    assert "holds no test_*.py. Add a held-back test" in refusal(folder)


def test_links_are_refused(folder: Path) -> None:
    (folder / "workspace" / "answer.py").symlink_to("../solution/door.py")
    assert "answer.py is a link" in refusal(folder)


def test_empty_and_undecodable_statements_are_refused(folder: Path) -> None:
    (folder / "statement.md").write_text(" \n")
    assert "statement.md is empty" in refusal(folder)
    (folder / "statement.md").write_bytes(b"\xff\xfe")
    assert "Save it as UTF-8" in refusal(folder)


def test_folder_name_must_be_an_id(folder: Path) -> None:
    assert "'Door 1' is none" in refusal(folder.rename(folder.with_name("Door 1")))


@pytest.mark.parametrize(
    ("path", "expected"),
    [("test_a.py", True), ("pkg/test_a.py", True), ("a_test.py", False), ("test_a.txt", False)],
)
def test_test_files_are_known_by_name(path: str, expected: bool) -> None:
    assert is_test_file(path) is expected
