import os

import pytest

from trajlog.harness.workspace import MAX_FILE_BYTES, PathRefused, Workspace


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "outside").write_text("secret")
    root = tmp_path / "w"
    root.mkdir()
    return Workspace(root)


def test_files_are_written_and_read_by_relative_path(workspace):
    workspace.fill({"a.py": b"1", "pkg/b.py": b"2"})
    assert workspace.read("pkg/b.py") == b"2"
    assert workspace.read("./pkg//b.py") == b"2"
    assert workspace.files() == ["a.py", "pkg/b.py"]


def test_an_absolute_path_inside_counts_as_relative(workspace):
    workspace.write("a.py", b"1")
    assert workspace.read(f"{workspace.root}/a.py") == b"1"


@pytest.mark.parametrize(
    "path", ["../outside", "pkg/../../outside", "/etc/passwd", "", ".", "/", "a\0b", "/".join(["d"] * 40)]
)
def test_paths_that_lead_out_are_refused(workspace, path):
    with pytest.raises(PathRefused):
        workspace.read(path)
    with pytest.raises(PathRefused):
        workspace.write(path, b"x")


def test_links_are_not_followed_in_any_component(workspace, tmp_path):
    os.symlink(tmp_path / "outside", workspace.root / "link")
    os.symlink(tmp_path, workspace.root / "folder")
    for path in ("link", "folder/outside"):
        with pytest.raises(PathRefused):
            workspace.read(path)
        with pytest.raises(PathRefused):
            workspace.write(path, b"x")
    with pytest.raises(PathRefused):
        workspace.write("folder/new", b"x")
    assert (tmp_path / "outside").read_text() == "secret"
    assert not (tmp_path / "new").exists()


def test_pipes_devices_and_folders_are_refused_without_waiting(workspace):
    os.mkfifo(workspace.root / "pipe")
    (workspace.root / "folder").mkdir()
    for path in ("pipe", "folder"):
        with pytest.raises(PathRefused):
            workspace.read(path)
        with pytest.raises(PathRefused):
            workspace.write(path, b"x")


def test_a_huge_file_is_refused(workspace):
    (workspace.root / "big").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(PathRefused, match="larger than"):
        workspace.read("big")


def test_writing_keeps_the_mode_and_leaves_no_temporary_file(workspace):
    workspace.write("run.sh", b"1")
    (workspace.root / "run.sh").chmod(0o755)
    workspace.write("run.sh", b"2")
    assert (workspace.root / "run.sh").stat().st_mode & 0o777 == 0o755
    assert os.listdir(workspace.root) == ["run.sh"]


def test_only_a_plain_file_exists(workspace, tmp_path):
    workspace.fill({"a.py": b"1", "pkg/b.py": b"2"})
    os.symlink(tmp_path / "outside", workspace.root / "link")
    os.mkfifo(workspace.root / "pipe")
    assert workspace.exists("pkg/b.py")
    for path in ("b.py", "pkg", "link", "pipe", "../outside", "/etc/passwd"):
        assert not workspace.exists(path)
