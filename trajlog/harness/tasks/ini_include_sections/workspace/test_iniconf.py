from pathlib import Path

import pytest
from iniconf import DictSource, FolderSource, IniError, load

CONF = Path(__file__).parent / "conf"


def test_single_file():
    text = "x = 1\n[s]\n# c\nlong = one \\\n  two\nuse = ${x}${general:x}\nx = 5"
    settings = load(DictSource({"a.ini": text}), "a.ini")
    assert settings.as_dict() == {"general": {"x": "1"}, "s": {"long": "one two", "use": "51", "x": "5"}}
    assert (settings.get_int("s", "x"), settings.origin("s", "long")) == (5, "a.ini:4")


def test_files_of_the_shop():
    settings = load(FolderSource(CONF), "main.ini")
    assert settings.get("database", "url") == "db://db1/north"
    assert settings.get("server", "host") == "web1"


def test_include_at_the_end():
    texts = {"a": "[s]\nk = 1\n@include b\n", "b": "k = 2\n[s]\nk = 3"}
    assert load(DictSource(texts), "a").as_dict() == {"general": {"k": "2"}, "s": {"k": "3"}}


def test_include_of_itself():
    with pytest.raises(IniError, match="b:1: a includes itself"):
        load(DictSource({"a": "@include b", "b": "@include a"}), "a")


def test_unset():
    texts = {"a": "[s]\nk = 1\nm = 2\n@unset k\n"}
    assert load(DictSource(texts), "a").as_dict() == {"s": {"m": "2"}}
