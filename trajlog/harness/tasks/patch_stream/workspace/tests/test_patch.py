import pytest
from patchtool.apply import apply
from patchtool.bundle import apply_bundle, read_bundle, statistics
from patchtool.compare import diff
from patchtool.errors import BadPatch, PatchFailed
from patchtool.source import Source


def lines(text):
    return "\n".join(text)


def test_hunk_that_fits_at_once():
    assert apply("a\nb\nc", "@@\n a\n-b\n+B\n+B2") == (
        "a\n"
        "B\n"
        "B2\n"
        "c"
    )


def test_hunk_further_down():
    assert apply(lines("abcdef"), "@@ shout\n c\n-d\n+D\n e").split() == ["a", "b", "c", "D", "e", "f"]


def test_diff():
    assert diff(lines("abcde"), lines("abXYde"), title="c").split("\n") == ["@@ c", " b", "-c", "+X", "+Y", " d"]


def test_hunk_that_fits_nowhere():
    with pytest.raises(PatchFailed, match=r"hunk 1 \(x\) fits nowhere"):
        apply(lines("abc"), "@@ x\n-d\n+e")
    with pytest.raises(BadPatch, match="no old lines"):
        apply(lines("abc"), "@@ x\n+e")


def test_bundle():
    parts = read_bundle("--- one\n@@\n-a\n+A\n b\n--- three\n@@\n-x\n--- two\n@@ t\n-q\n+r\n+s")
    assert statistics(parts) == ["one   | +1 -1", "three | +0 -1", "two   | +2 -1"]
    assert apply_bundle({"one": "a\nb", "two": "p"}, parts) == (
        {"one": "A\nb", "two": "p"},
        {"three": "no such file", "two": "hunk 1 (t) fits nowhere"},
    )


def test_source():
    source = Source("pqrs")
    source.put_back([source.read()])
    assert [source.read(), source.read_many(2), source.read(), source.read()] == ["p", ["q", "r"], "s", None]
