import pytest
from scratch import CopyFiles, MakeFolders, NameInUse, Registry, RunHook, SetupError, Workspace
from scratch.files import LogFile, listing


def boom(workspace):
    (workspace.path / "half.bin").write_bytes(b"x")
    raise ZeroDivisionError("hook")


def attempt(name, root, registry, steps, **options):
    try:
        with Workspace(name, root, registry, steps, **options) as workspace:
            return workspace.read_log()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_same_name_after_a_failure(tmp_path):
    root, registry = tmp_path / "work", Registry()
    missing = CopyFiles(tmp_path / "none")
    results = [attempt("demo", root, registry, steps) for steps in ([missing], [missing], [MakeFolders("a")])]
    assert results == ["SetupError: no template none", "SetupError: no template none", ["001 folders a"]]


def test_any_error_of_a_step(tmp_path):
    root, registry = tmp_path / "work", Registry()
    opened = LogFile.open_count
    result = attempt("demo", root, registry, [MakeFolders("a/b"), RunHook("boom", boom)])
    assert (result, listing(root), registry.names()) == ("ZeroDivisionError: hook", [], [])
    assert LogFile.open_count == opened


def test_limit_is_not_used_up(tmp_path):
    root, registry = tmp_path / "work", Registry(limit=2)
    results = [attempt(f"w{n}", root, registry, [RunHook("boom", boom)] if n < 4 else []) for n in range(6)]
    assert results == ["ZeroDivisionError: hook"] * 4 + [[], []]
    assert [registry.names(), registry.peak, listing(root)] == [[], 1, []]


def test_inner_failure_keeps_the_outer_one(tmp_path):
    root, registry = tmp_path / "work", Registry()
    with Workspace("outer", root, registry, [MakeFolders("keep")]) as outer:
        inner = attempt("inner", root, registry, [CopyFiles(tmp_path, ["*.none"])], within=outer)
        seen = listing(root), registry.names()
    assert inner.endswith("has no *.none")
    assert seen == (["outer/", "outer/keep/", "outer/workspace.log"], ["outer"])


def test_folder_of_somebody_else_is_left_alone(tmp_path):
    root, registry = tmp_path / "work", Registry()
    (root / "demo").mkdir(parents=True)
    (root / "demo" / "thesis.txt").write_text("precious")
    with pytest.raises(FileExistsError):
        Workspace("demo", root, registry).__enter__()
    with Workspace("held", root, registry), pytest.raises((NameInUse, SetupError)):
        Workspace("held", root, registry).__enter__()
    assert (listing(root), registry.names()) == (["demo/", "demo/thesis.txt"], [])
