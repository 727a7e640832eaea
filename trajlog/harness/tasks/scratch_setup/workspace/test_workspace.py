import pytest
from scratch import CopyFiles, MakeFolders, NameInUse, Registry, SetupError, Workspace
from scratch.files import listing


@pytest.fixture
def registry():
    return Registry()


@pytest.fixture
def template(tmp_path):
    folder = tmp_path / "basic"
    folder.mkdir()
    for name in ("a.txt", "b.txt", "notes.md"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def root(tmp_path):
    return tmp_path / "work"


def test_workspace_is_prepared_and_removed(root, registry, template):
    steps = [MakeFolders("src/lib"), CopyFiles(template, ["*.txt"])]
    with Workspace("demo", root, registry, steps) as workspace:
        files = listing(workspace.path)
        assert files == ["a.txt", "b.txt", "src/", "src/lib/", "workspace.log"]
        assert workspace.read_log() == ["001 folders src/lib", "002 copied basic"]
    assert (listing(root), registry.names()) == ([], [])


def test_one_name_once(root, registry):
    with Workspace("demo", root, registry), pytest.raises(NameInUse, match="demo is in use"):
        Workspace("demo", root, registry).__enter__()
    assert (registry.names(), registry.peak) == ([], 1)


def test_workspace_within_another(root, registry):
    with Workspace("outer", root, registry) as outer, Workspace("inner", root, registry, within=outer):
        assert listing(root) == ["outer/", "outer/inner/", "outer/inner/workspace.log", "outer/workspace.log"]
    assert registry.peak == 2


def test_missing_template_leaves_no_files(root, registry, template):
    with pytest.raises(SetupError, match="no template other"):
        with Workspace("demo", root, registry, [CopyFiles(template.parent / "other")]):
            pass
    with Workspace("next", root, registry):
        assert listing(root) == ["next/", "next/workspace.log"]
