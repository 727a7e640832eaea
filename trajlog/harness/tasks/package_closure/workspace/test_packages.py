from pathlib import Path

import pytest
from packages.registry import Registry
from packages.reports import Installation
from packages.solver import Unsolvable


@pytest.fixture
def registry():
    return Registry.read(Path("packages.txt").read_text(encoding="utf-8"))


def test_newest_versions_that_fit(registry):
    assert Installation(registry, "web").titles() == [
        "http 1.2", "icons 3.0", "log 1.5", "render 2.0", "theme 0.9", "web 2.1"
    ]
    assert Installation(registry, "shop", "log<1").titles() == ["http 1.2", "log 0.9", "shop 1.0", "web 1.0"]


def test_no_solution(registry):
    with pytest.raises(Unsolvable, match="shop, web>=2"):
        Installation(registry, "shop", "web>=2")


def test_needs(registry):
    installed = Installation(registry, "web")
    assert installed.needs("web") == ["http", "icons", "log", "render", "theme"]
    assert installed.download_size("web") == 172
    assert installed.graph.looked == {"web": 1, "http": 1, "log": 1, "render": 1, "theme": 1, "icons": 1}


def test_circle_after_another_question():
    installed = Installation(Registry.read("a 1 1: b\nb 1 2: c\nc 1 4: b"), "a")
    assert installed.needs("a") == ["b", "c"]
    assert [installed.needs("b"), installed.needs("c")] == [["c"], ["b"]]
    assert installed.download_size("c") == 6


def test_unknown_package(registry):
    with pytest.raises(LookupError, match="shop is not installed"):
        Installation(registry, "web").needs("shop")
