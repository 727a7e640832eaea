from netplan.planner import Planner
from netplan.queries import vlan_members
from netplan.report import report
from netplan.store import dumps, loads


def office():
    planner = Planner().add_device("s1", "switch", ["1", "2"], author="ada")
    planner.set_vlans("s1.1", [5, 6], author="ben").set_vlans("s1.2", [5], author="cy")
    return planner


def test_undo_and_redo_go_through_every_plan():
    planner = office()
    seen = []
    for move in (planner.undo, planner.undo, planner.redo, planner.redo, planner.undo):
        move()
        seen.append(vlan_members(planner.document, 5))
    assert seen == [["s1.1"], [], ["s1.1"], ["s1.1", "s1.2"], ["s1.1"]]


def test_earlier_plans_after_loading():
    planner = loads(dumps(office()))
    plans = [planner.history.document(position) for position in (1, 2, 3, 1)]
    assert [vlan_members(plan, 1) for plan in plans] == [["s1.1", "s1.2"], ["s1.2"], [], ["s1.1", "s1.2"]]
    planner.undo().set_vlans("s1.2", [9])
    assert report(planner) == [
        "s1 (switch): 1[5 6], 2[9]", "not linked: s1",
        " 1 add s1 (ada): +devices/s1/kind +devices/s1/ports/1/vlans +devices/s1/ports/2/vlans",
        " 2 vlans of s1.1 (ben): +devices/s1/ports/1/vlans",
        " 3 vlans of s1.2 (?): +devices/s1/ports/2/vlans",
    ]


def test_callers_keep_their_dicts_and_lists():
    planner = Planner()
    vlans, ports = [1, 2], {"p": {"vlans": [3]}}
    planner.apply("new", {"devices": {"h": {"kind": "host", "ports": ports}}})
    planner.set_vlans("h.p", vlans)
    vlans.append(99)
    ports["p"]["vlans"].append(98)
    ports["q"] = {"vlans": []}
    planner.undo()
    first = planner.document
    planner.redo()
    assert [first["devices"]["h"]["ports"], planner.document["devices"]["h"]["ports"]] == [
        {"p": {"vlans": [3]}}, {"p": {"vlans": [1, 2]}},
    ]


def test_replaced_plans():
    planner = office()
    wanted = planner.document
    wanted["devices"]["s2"] = {"kind": "switch", "ports": {"1": {"vlans": [4]}}}
    del wanted["devices"]["s1"]["ports"]["2"]
    planner.replace("rebuild", wanted).set_vlans("s2.1", [8])
    wanted["devices"]["s2"]["ports"]["1"]["vlans"].append(1000)
    planner.undo()
    assert report(planner) == [
        "s1 (switch): 1[5 6]", "s2 (switch): 1[4]", "not linked: s1, s2",
        " 1 add s1 (ada): +devices/s1/kind +devices/s1/ports/1/vlans +devices/s1/ports/2/vlans",
        " 2 vlans of s1.1 (ben): +devices/s1/ports/1/vlans",
        " 3 vlans of s1.2 (cy): +devices/s1/ports/2/vlans",
        " 4 rebuild (?): -devices/s1/ports/2 +devices/s2/kind +devices/s2/ports/1/vlans",
        "x5 vlans of s2.1 (?): +devices/s2/ports/1/vlans",
    ]


def test_plans_handed_out_stay():
    planner = office()
    old = planner.history.document(1)
    planner.undo().undo()
    held = planner.document
    planner.set_vlans("s1.1", [2]).set_vlans("s1.2", [3])
    assert [vlan_members(old, 1), vlan_members(held, 1), vlan_members(planner.document, 3)] == [
        ["s1.1", "s1.2"], ["s1.1", "s1.2"], ["s1.2"],
    ]
