import pytest

from netplan.addresses import AddressBook, AddressError
from netplan.drawing import to_dot
from netplan.planner import Planner
from netplan.queries import route, vlan_members
from netplan.report import report
from netplan.rules import PlanError
from netplan.store import load, save


@pytest.fixture
def planner():
    planner = Planner().add_device("r1", "router", ["a", "b"]).add_device("s1", "switch", ["1", "2", "3"])
    return planner.connect("up", "r1.a", "s1.1", author="ada")


def test_routes_and_report(planner):
    planner.add_device("h1", "host", ["eth0"]).connect("desk", "s1.2", "h1.eth0")
    assert route(planner.document, "h1", "r1") == ["h1", "s1", "r1"]
    planner.remove_device("s1")
    assert report(planner)[:3] == ["h1 (host): eth0[1]", "r1 (router): a[1], b[1]", "not linked: h1, r1"]


def test_refused_patches_change_nothing(planner):
    with pytest.raises(PlanError, match="link x: port r1.a is used twice"):
        planner.connect("x", "r1.a", "s1.3")
    assert planner.history.position == 3


def test_saved_history_shows_what_was_applied(planner, tmp_path):
    planner.set_vlans("s1.3", [10, 20])
    save(planner, tmp_path / "plan.json")
    loaded = load(tmp_path / "plan.json")
    assert loaded.history.changes[1].patch["devices"]["s1"]["ports"]["3"] == {"vlans": [1]}
    assert loaded.document == planner.document


def test_a_loaded_plan_can_be_changed(planner, tmp_path):
    save(planner, tmp_path / "plan.json")
    loaded = load(tmp_path / "plan.json").set_vlans("s1.2", [7])
    assert vlan_members(loaded.document, 1) == ["r1.a", "r1.b", "s1.1", "s1.3"]


def test_nothing_to_redo(planner):
    with pytest.raises(IndexError, match="nothing to redo"):
        planner.redo()


def test_addresses(planner):
    book = AddressBook({1: "10.0.1.0/29"})
    assert book.assign(planner.document)["s1.2/1"] == "10.0.1.4"
    planner.set_vlans("r1.a", [9]).add_device("h1", "host", ["e"])
    assert list(book.assign(planner.document).values()) == ["10.0.1.6", "10.0.1.2", "10.0.1.3", "10.0.1.4", "10.0.1.5"]
    with pytest.raises(AddressError, match="10.0.1.0/29 is full"):
        book.address("h2.e", 1)


def test_drawing(planner):
    assert to_dot(planner.document).split("\n")[1:] == [
        '  "r1" [shape=diamond];',
        '  "s1" [shape=box];',
        '  "r1" -- "s1" [label="up"];',
        "}",
    ]
