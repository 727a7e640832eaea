from deps.catalog import Catalog
from deps.ranges import Range
from deps.resolver import Resolver
from vendor.minisem import Version

VERSIONS = ("0.3.0-rc", "0.3.0", "0.3.9", "0.4.0-a", "1.0.0-a", "1.2.0", "1.4.0-rc", "1.4.0", "1.4.5", "1.5.0-rc.1",
            "1.5.0", "2.0.0-beta.1", "2.0.0")


def taken(text):
    wanted = Range(text)
    return [version for version in VERSIONS if wanted.takes(Version.parse(version))]


def test_caret():
    assert [taken(text) for text in ("^1.4", "^0.3", "^0.3.9", "^1.5.0-rc.1", "^0")] == [
        ["1.4.0", "1.4.5", "1.5.0-rc.1", "1.5.0"], ["0.3.0", "0.3.9"], ["0.3.9"], ["1.5.0-rc.1", "1.5.0"],
        ["0.3.0-rc", "0.3.0", "0.3.9", "0.4.0-a"],
    ]


def test_tilde_and_partial_versions():
    assert [taken(text) for text in ("~1.4", "~1.4.5", "~0.3.0", "1.4", "1.4.x", "=0.3")] == [
        ["1.4.0", "1.4.5"], ["1.4.5"], ["0.3.0", "0.3.9"], ["1.4.0", "1.4.5"], ["1.4.0", "1.4.5"], ["0.3.0", "0.3.9"]
    ]
    assert taken("1.x") == ["1.2.0", "1.4.0-rc", "1.4.0", "1.4.5", "1.5.0-rc.1", "1.5.0"]


def test_hyphen():
    assert [taken(text) for text in ("1.2 - 1.4", "1.4.5 - 1", "1.5.0 - 2.0.0", "1.4 - 1.5.0-rc.1")] == [
        ["1.2.0", "1.4.0-rc", "1.4.0", "1.4.5"], ["1.4.5", "1.5.0-rc.1", "1.5.0"], ["1.5.0", "2.0.0-beta.1", "2.0.0"],
        ["1.4.0", "1.4.5", "1.5.0-rc.1"],
    ]


def test_bounds_that_are_written_out():
    assert [taken(text) for text in (">=1.5.0 <2.0.0", ">1.5.0 <2.0.0-beta.2", ">1.4.5 <1.5.0", ">=1.5.0 <=2.0.0")] == [
        ["1.5.0", "2.0.0-beta.1"], ["2.0.0-beta.1"], ["1.5.0-rc.1"], ["1.5.0", "2.0.0-beta.1", "2.0.0"]
    ]


def test_resolver_with_choices():
    catalog = Catalog()
    for version in VERSIONS:
        catalog.publish("a", version, {"b": "^0.3 || 1.4"})
        catalog.publish("b", version)
    assert [Resolver(catalog).resolve({"a": text}) for text in ("~1.4 || ^0.3", "<2.0.0", "0.3 - 0.3")] == [
        {"a": "1.4.5", "b": "1.4.5"}, {"a": "2.0.0-beta.1", "b": "1.4.5"}, {"a": "0.3.9", "b": "1.4.5"}
    ]
