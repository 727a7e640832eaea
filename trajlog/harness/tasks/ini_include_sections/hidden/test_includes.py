import pytest
from iniconf import DictSource, IniError, load


def test_sections_go_on():
    texts = {
        "main": "a = 1\n@include one\nb = 2\n[x]\n@include one\nc = 3\n@include empty\nd = 4\n[y]\ne = 5",
        "one": "g = ${a}\n[z]\nh = 1\n@include two\ni = 2",
        "two": "[w]\nj = 1",
        "empty": "# nothing\n",
    }
    assert load(DictSource(texts), "main").as_dict() == {
        "general": {"a": "1", "g": "1", "b": "2"}, "w": {"j": "1"}, "x": {"c": "3", "d": "4"}, "y": {"e": "5"},
        "z": {"h": "1", "i": "2"},
    }


def test_origins():
    texts = {"main": "[s]\nk = 1\n@include sub/one\nl = 2\n\nm = 3", "sub/one": "n = 4\n[t]\n\no = 5\n"}
    settings = load(DictSource(texts), "main")
    assert [settings.origin(*name) for name in (("s", "k"), ("s", "l"), ("s", "m"), ("general", "n"), ("t", "o"))] == [
        "main:2", "main:4", "main:6", "sub/one:1", "sub/one:4"
    ]


def test_includes_beside_the_file_that_has_them():
    texts = {
        "main": "@include sub/one\n@include two\n@include sub/deep/three\n@include sub/one",
        "sub/one": "a = one\n@include deep/three\n@include two",
        "sub/two": "b = inner",
        "sub/deep/three": "c = three\n@include ../two",
        "two": "d = outer",
    }
    settings = load(DictSource(texts), "main")
    assert settings.as_dict() == {"general": {"a": "one", "b": "inner", "c": "three", "d": "outer"}}
    assert settings.origin("general", "d") == "two:1"


def test_errors_behind_an_include():
    messages = []
    for tail in ("oops", "[s", "@include gone", "@nope", "@unset q", "n = x"):
        texts = {"main": f"[s]\n@include sub/one\n\n{tail}", "sub/one": "[t]\nq = 1\nn = 5"}
        with pytest.raises(IniError) as caught:
            load(DictSource(texts), "main").get_int("s", "n")
        messages.append(str(caught.value))
    assert messages == [
        "main:4: expected key = value, not 'oops'", "main:4: bad section [s", "main:4: cannot find gone",
        "main:4: unknown directive @nope", "main:4: q is not set in [s]", "main:4: n is no number: 'x'",
    ]


def test_unset_behind_an_include():
    texts = {"main": "[s]\nk = 1\nm = 1\n@include one\n@unset k", "one": "[t]\nk = 2\nm = 2"}
    assert load(DictSource(texts), "main").as_dict() == {"s": {"m": "1"}, "t": {"k": "2", "m": "2"}}
