import pytest
from deps.catalog import Catalog
from deps.ranges import Range, RangeError
from deps.resolver import Conflict, Resolver
from vendor.minisem import Version


@pytest.fixture
def catalog():
    catalog = Catalog()
    for version in ("1.4.0", "1.9.2", "1.10.0-rc.1", "0.9.0"):
        catalog.publish("http", version, {"log": "~2.1"})
    for version in ("2.1.0", "2.1.7", "2.2.0"):
        catalog.publish("log", version)
    return catalog


def test_order_of_versions():
    texts = ["1.0.0", "1.0.0-beta", "1.0.0-alpha.10", "1.0.0-alpha.9", "1.0.0-alpha.x", "0.9.0"]
    assert list(map(str, sorted(map(Version.parse, texts)))) == [
        "0.9.0", "1.0.0-alpha.9", "1.0.0-alpha.10", "1.0.0-alpha.x", "1.0.0-beta", "1.0.0"
    ]


def test_resolve(catalog):
    assert Resolver(catalog).resolve({"http": ">=1.4 <1.10.0-0"}) == {"http": "1.9.2", "log": "2.1.7"}


def test_beta_of_the_next_major_version(catalog):
    catalog.publish("http", "2.0.0-beta.1", {"log": "~2.1"})
    catalog.withdraw("http", "1.10.0-rc.1")
    assert Resolver(catalog).resolve({"http": "^1.4"}) == {"http": "1.9.2", "log": "2.1.7"}


def test_inside_of_a_range_pre_releases_count(catalog):
    assert catalog.newest("http", "^1.4") == "1.10.0-rc.1"


def test_conflict(catalog):
    with pytest.raises(Conflict, match="nothing fits log"):
        Resolver(catalog).resolve({"http": "*", "log": "2.2.0"})
    with pytest.raises(RangeError):
        Range("^one")
