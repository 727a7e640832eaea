import pytest
from devices.board import Board
from devices.drivers import Busy
from devices.power import PowerError, PowerManager


@pytest.fixture
def board():
    return Board.load()


@pytest.fixture
def power(board):
    return PowerManager(board)


def test_children_before_parents(power):
    power.sleep_all()
    power.wake_all()
    assert [line.split()[0] for line in power.log[:6]] == ["disk", "camera", "stick", "usb", "net", "bus"]
    assert [line.split()[0] for line in power.log[6:]] == ["bus", "net", "usb", "stick", "camera", "disk"]


def test_camera_sleeps_on(board, power):
    power.sleep("camera")
    power.sleep_all()
    power.wake_all()
    assert board.asleep() == ["camera"]


def test_camera_sleeps_on_the_next_day(board, power):
    seen = []
    for name in ("net", "camera"):
        power.sleep_all()
        power.wake_all()
        power.sleep(name)
        power.sleep_all()
        power.wake_all()
        seen.append(board.asleep())
        power.wake(name)
    assert seen == [["net"], ["camera"]]


def test_busy_net(board, power):
    board["disk"].driver.write(3)
    board["net"].driver.transfers.add("mail")
    with pytest.raises(Busy, match="transfers: mail"):
        power.sleep_all()
    assert (board.asleep(), board["disk"].driver.flushed) == ([], 3)


def test_asleep_only_once(power):
    power.sleep_all()
    with pytest.raises(PowerError, match="the board is asleep"):
        power.sleep_all()
    assert len(power.log) == 6
