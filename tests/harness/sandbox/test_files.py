"""The file tools' ground, on both kinds: only plain files below the workspace, of ordinary size."""

import contextlib
import json

import pytest
from harness.tiny_task import BUGGY, FIXED, calc_task

from trajlog.harness.episode import ToolSession
from trajlog.harness.sandbox import Limits
from trajlog.harness.sandbox.base import MiB
from trajlog.harness.workspace import MAX_FILE_BYTES, PathRefused, Workspace, answer


@pytest.fixture
def workspace(sandbox):
    return sandbox.workspace


def test_files_are_written_and_read_by_relative_path(workspace):
    workspace.write("pkg/b.py", b"2")
    workspace.write("bytes", bytes(range(256)) * 300)
    assert workspace.read("pkg/b.py") == b"2"
    assert workspace.read("./pkg//b.py") == b"2"
    assert workspace.read("bytes") == bytes(range(256)) * 300
    assert workspace.files() == ["bytes", "hello.py", "pkg/b.py"]
    assert workspace.files(limit=1) == ["bytes"]
    assert workspace.exists("pkg/b.py")
    assert not workspace.exists("pkg")


def test_the_path_that_tracebacks_show_counts_as_relative(sandbox):
    shown = sandbox.run(["python", "-c", "import os; print(os.path.abspath('hello.py'))"]).output.strip()
    assert shown == f"{sandbox.workspace.root}/hello.py"
    assert sandbox.workspace.read(shown) == b"print('hi')\n"


@pytest.mark.parametrize(
    "path",
    ["../outside", "pkg/../../outside", "/etc/passwd", "/proc/self/mem", "", ".", "/", "a\0b", "/".join(["d"] * 40)],
)
def test_paths_that_lead_out_are_refused(workspace, path):
    with pytest.raises(PathRefused):
        workspace.read(path)
    with pytest.raises(PathRefused):
        workspace.write(path, b"x")
    assert not workspace.exists(path)


def test_links_are_not_followed_in_any_component(sandbox):
    sandbox.run(["bash", "-c", "ln -s /etc/hostname link; ln -s /tmp folder; ln -s . here; echo out > /tmp/outside"])
    for path in ("link", "folder/outside", "here/hello.py"):
        with pytest.raises(PathRefused):
            sandbox.workspace.read(path)
        with pytest.raises(PathRefused):
            sandbox.workspace.write(path, b"x")
        assert not sandbox.workspace.exists(path)
    with pytest.raises(PathRefused):
        sandbox.workspace.write("folder/trajlog-new", b"x")
    script = "cat /tmp/outside; ls /tmp/trajlog-new 2>&1 | grep -c 'No such'; rm -f /tmp/outside"
    assert sandbox.run(["bash", "-c", script]).output == "out\n1\n"
    assert sandbox.workspace.files() == ["hello.py"]


def test_pipes_devices_and_folders_are_refused_without_waiting(sandbox):
    sandbox.run(["bash", "-c", "mkfifo pipe; mkdir folder; python -c \"import socket; socket.socket(1).bind('sock')\""])
    for path in ("pipe", "folder", "sock"):
        with pytest.raises(PathRefused):
            sandbox.workspace.read(path)
        with pytest.raises(PathRefused):
            sandbox.workspace.write(path, b"x")


def test_a_huge_file_is_refused_even_if_it_takes_no_room(sandbox):
    sandbox.run(["bash", "-c", f"truncate -s {MAX_FILE_BYTES + 1} sparse"])
    with pytest.raises(PathRefused, match="larger than"):
        sandbox.workspace.read("sparse")
    sandbox.workspace.write("largest", b"x" * MAX_FILE_BYTES)
    assert sandbox.workspace.read("largest") == b"x" * MAX_FILE_BYTES


def test_unreadable_files_and_folders_are_refused_or_read_but_never_raise_more(sandbox):
    sandbox.run(["bash", "-c", "echo 1 > shut; chmod 000 shut; mkdir -p closed; echo 2 > closed/in; chmod 000 closed"])
    for path, content in (("shut", b"1\n"), ("closed/in", b"2\n")):
        try:
            assert sandbox.workspace.read(path) == content  # the user is root
        except PathRefused:
            continue


def test_writing_keeps_the_mode_and_leaves_no_temporary_file(sandbox):
    sandbox.run(["bash", "-c", "echo 1 > run.sh; chmod 755 run.sh"])
    sandbox.workspace.write("run.sh", b"#!/bin/sh\necho ran\n")
    assert sandbox.run(["bash", "-c", "./run.sh; ls -A"]).output == "ran\nhello.py\nrun.sh\n"


def test_names_that_are_not_text_are_not_listed_and_do_no_harm(sandbox):
    sandbox.run(["bash", "-c", "touch $'caf\\xe9'"])
    assert sandbox.workspace.files() == ["hello.py"]
    with pytest.raises(PathRefused):
        sandbox.workspace.read("\udce9")


def test_a_full_disk_is_an_os_error_or_no_matter(make):
    with make(limits=Limits(disk_bytes=2 * MiB)) as made:
        with contextlib.suppress(OSError):  # PathRefused would not do
            for number in range(8):
                made.workspace.write(f"f{number}", b"x" * MAX_FILE_BYTES)
        assert made.workspace.exists("f0")


def test_the_file_tools_work_in_it(make):
    task = calc_task()
    with make(task.workspace) as made, ToolSession(task, made) as session:
        shown = session.call("read_file", {"path": "calc.py", "start_line": 3})
        assert shown.content == "3\t    return a - b\n[lines 3-3 of 3]"
        assert session.call("run_tests", {}).content.startswith("1 passed, 1 failed")
        edited = session.call("edit_file", {"path": "calc.py", "old_str": "a - b", "new_str": "a + b"})
        assert edited.content == "edited calc.py:\n2\t    # sum\n3\t    return a + b"
        assert session.call("run_tests", {}).content == "2 passed"
        assert session.call("edit_file", {"path": "calc.py", "old_str": "no such", "new_str": "x"}).is_error
        assert session.call("read_file", {"path": "clac.py"}).content == (
            "clac.py does not exist. Files: calc.py, test_calc.py"
        )
        assert session.sources() == {"calc.py": FIXED}
        assert session.judge(make).grade.solved


def test_sources_that_cannot_be_read_count_as_unchanged(make):
    task = calc_task()
    with make(task.workspace) as made, ToolSession(task, made) as session:
        session.call("bash", {"command": "rm calc.py; ln -s /etc/passwd calc.py"})
        assert session.sources() == {}
        assert not session.judge(make).grade.solved
    assert task.workspace["calc.py"] == BUGGY


def test_requests_are_answered_as_a_workspace_would(tmp_path):
    workspace = Workspace(tmp_path)
    ask = lambda request, content=b"": answer(workspace, json.dumps(request).encode() + b"\n" + content)  # noqa: E731
    assert ask({"op": "write", "path": "a"}, b"x\ny") == b'{"value": null}\n'
    assert ask({"op": "read", "path": "a"}) == b'{"value": null}\nx\ny'
    assert ask({"op": "files", "limit": 5}) == b'{"value": ["a"]}\n'
    assert json.loads(ask({"op": "read", "path": "b"})) == {"refused": "b does not exist."}
