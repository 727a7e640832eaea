from gym import Desk


def make():
    return Desk([4, 5], {40: 1}, {"a1", "b2", "c3", "d4"})


def test_own_shoes_and_two_devices():
    desk = make()
    desk.check_in("ada")
    desk.lend("ada", "a1")
    desk.lend("ada", "c3")
    desk.check_out("ada")
    assert (desk.free_lockers, sorted(desk.devices), desk.handed_out()) == (
        [4, 5], ['a1', 'b2', 'c3', 'd4'], (0, 0, 0),
    )


def test_no_locker_but_shoes_and_device():
    desk = make()
    desk.check_in("ben", 40, locker=False)
    desk.lend("ben", "d4")
    desk.check_out("ben")
    assert (desk.shoes, sorted(desk.devices), desk.free_lockers) == ({40: 1}, ['a1', 'b2', 'c3', 'd4'], [4, 5])


def test_no_locker_no_shoes_one_device():
    desk = make()
    desk.check_in("cleo", locker=False)
    desk.lend("cleo", "b2")
    desk.check_in("dan", 40)
    desk.check_out("cleo")
    assert (sorted(desk.devices), desk.handed_out()) == (['a1', 'b2', 'c3', 'd4'], (1, 1, 0))


def test_a_lost_device_does_not_hold_up_the_rest():
    desk = make()
    desk.check_in("eve")
    for device in ("a1", "b2", "c3"):
        desk.lend("eve", device)
    desk.lose_device("b2")
    desk.check_out("eve")
    assert (sorted(desk.devices), desk.free_lockers, desk.handed_out()) == (['a1', 'c3', 'd4'], [4, 5], (0, 0, 0))
