import pytest
from devices.board import Board
from devices.drivers import Busy
from devices.power import PowerManager


def night(power):
    start = len(power.log)
    power.sleep_all()
    power.wake_all()
    return power.log[start:]


def test_after_a_night_that_failed():
    board = Board.load()
    power = PowerManager(board)
    board["net"].driver.transfers.add("backup")
    with pytest.raises(Busy):
        power.sleep_all()
    board["net"].driver.transfers.clear()
    power.sleep("usb")
    lines = night(power)
    assert board.asleep() == ["usb", "camera", "stick"]
    assert lines == ["disk sleeps", "net sleeps", "bus sleeps", "bus wakes", "net wakes", "disk wakes"]


def test_failed_night_after_good_ones():
    board = Board.load()
    power = PowerManager(board)
    for _ in range(3):
        night(power)
    power.sleep("stick")
    board["net"].driver.transfers.add("chat")
    with pytest.raises(Busy):
        power.sleep_all()
    assert board.asleep() == ["stick"]
    assert power.log[-6:] == [
        "disk sleeps",
        "camera sleeps",
        "usb sleeps",
        "usb wakes",
        "camera wakes",
        "disk wakes",
    ]


def test_other_devices_every_night():
    board = Board.load()
    power = PowerManager(board)
    seen = []
    for names in (["camera"], ["disk", "net"], ["usb"], []):
        for name in names:
            power.sleep(name)
        night(power)
        seen.append(board.asleep())
        for name in ("disk", "net", "camera", "stick"):
            power.wake(name)
    assert seen == [["camera"], ["disk", "net"], ["usb", "camera", "stick"], []]
    assert (board["bus"].driver.rescans, board["net"].driver.connects) == (4, 4)


def test_hub_with_a_sleeping_branch():
    board = Board(
        [
            {"name": "root", "kind": "hub"},
            {"name": "left", "kind": "hub", "parent": "root"},
            {"name": "leaf", "kind": "disk", "parent": "left"},
        ]
    )
    power = PowerManager(board)
    first = night(power)
    power.sleep("left")
    board["root"].driver.rescans = 0
    second = night(power)
    assert (len(first), second) == (6, ["root sleeps", "root wakes"])
    assert (board.states(), board["root"].driver.rescans) == (
        {"root": "awake", "left": "asleep", "leaf": "asleep"},
        1,
    )
