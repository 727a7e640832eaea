import pytest
from patchtool.apply import apply, fits, patched, revert
from patchtool.bundle import apply_bundle, make_bundle, read_bundle
from patchtool.compare import diff
from patchtool.errors import PatchFailed
from patchtool.hunk import read_patch
from patchtool.source import Source


def test_partial_fits():
    text = "\n".join("xxyxxyxxz12")
    assert "".join(apply(text, "@@\n x\n x\n-z\n+Z").split()) == "xxyxxyxxZ12"


def test_several_hunks_and_memory():
    text = [f"line {n}" for n in range(30)]
    hunks = read_patch("@@\n line 7\n-line 8\n line 9\n@@\n-line 10\n+ten\n@@\n line 27\n-line 28\n-line 29")
    source = Source(iter(text))
    out = list(patched(source, hunks))
    assert out[5:12] + out[-3:] == [
        "line 5",
        "line 6",
        "line 7",
        "line 9",
        "ten",
        "line 11",
        "line 12",
        "line 25",
        "line 26",
        "line 27",
    ]
    assert (len(out), source.buffered) == (27, 3)


def test_there_and_back():
    old, new = "\n".join("kayak paddle"), "\n".join("kayak puddle")
    patch = diff(old, new, context=2)
    assert patch.split("\n") == ["@@", "  ", " p", "-a", "+u", " d", " d"]
    assert ("".join(apply(old, patch).split("\n")), "".join(revert(new, patch).split("\n"))) == (
        "kayak puddle",
        "kayak paddle",
    )


def test_bundle_of_changes():
    texts = (("a", "one fine day"), ("b", "same"), ("c", "gone"), ("d", "12345"))
    old = {name: "\n".join(text) for name, text in texts}
    new = {name: "\n".join(text) for name, text in (("a", "one fine way"), ("b", "same"), ("d", "1245"))}
    bundle = make_bundle(old, new)
    assert bundle.splitlines() == ["--- a", "@@", "  ", "-d", "+w", " a", "--- d", "@@", " 2", "-3", " 4"]
    result, failed = apply_bundle(old, read_bundle(bundle))
    assert ("".join(result["a"].split("\n")), "".join(result["d"].split("\n")), failed) == ("one fine way", "1245", {})


def test_second_hunk_fails():
    text = "\n".join("abcabc")
    with pytest.raises(PatchFailed) as failure:
        apply(text, "@@ one\n b\n-c\n@@ two\n b\n-d")
    assert str(failure.value) == "hunk 2 (two) fits nowhere"
    assert [fits(text, "@@\n-c\n@@\n-c"), fits(text, "@@\n-c\n@@\n-c\n@@\n-a")] == [True, False]


def test_putting_back_in_pieces():
    source = Source("abcdef")
    first = source.read_many(4)
    source.put_back(first[2:])
    source.put_back(first[:2])
    seen = [source.starts_with(["a", "b", "c"]), source.read(), source.starts_with(["b", "d"])]
    assert (seen, source.read_many(9)) == ([True, "a", False], ["b", "c", "d", "e", "f"])
