from packages.registry import Registry
from packages.reports import Installation

RING = """
a 1 1: b
b 1 2: c, x
c 1 4: d
d 1 8: b, y
x 1 16:
y 1 32: z
z 1 64: y
"""


def ring(*wanted):
    return Installation(Registry.read(RING), *wanted or ["a"])


def test_every_member_of_a_ring():
    installed = ring()
    seen = {name: "".join(installed.needs(name)) for name in "abcdxyz"}
    assert seen == {"a": "bcdxyz", "b": "cdxyz", "c": "bdxyz", "d": "bcxyz", "x": "", "y": "z", "z": "y"}


def test_questions_in_other_orders():
    seen = []
    for order in ("cab", "dcb", "zdy", "bdc"):
        installed = ring()
        seen.append(["".join(installed.needs(name)) for name in order])
    assert seen == [
        ["bdxyz", "bcdxyz", "cdxyz"], ["bcxyz", "bdxyz", "cdxyz"], ["y", "bcxyz", "z"], ["cdxyz", "bcxyz", "bdxyz"]
    ]


def test_sizes_and_users():
    installed = ring()
    installed.needs("a")
    assert [installed.download_size(name) for name in "bcd"] == [126, 126, 126]
    assert [installed.graph.users(name) for name in ("b", "z")] == [["a", "c", "d"], ["a", "b", "c", "d", "y"]]


def test_removable_parts():
    installed = ring("a", "d")
    installed.needs("a")
    assert [installed.removable("a"), installed.removable("d")] == [["a"], []]
    other = ring("a", "z")
    other.needs("a")
    assert other.removable("a") == ["a", "b", "c", "d", "x"]


def test_requirements_are_read_once():
    installed = ring()
    for name in "dbacdzyx":
        installed.needs(name)
        installed.graph.users(name)
    assert installed.graph.looked == {"a": 1, "b": 1, "c": 1, "d": 1, "x": 1, "y": 1, "z": 1}


def test_package_that_requires_itself_and_two_circles():
    installed = Installation(Registry.read("m 1 1: m, n, o\nn 1 1: m, p\no 1 1: m\np 1 1: q\nq 1 1: p"), "m")
    seen = ["".join(installed.needs(name)) for name in "mnopq"]
    assert seen == ["nopq", "mopq", "mnpq", "q", "p"]
