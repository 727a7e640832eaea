import pytest
from firmware import Repository, Server, WriteBehind
from firmware.device import Device
from firmware.server import InUse, Offline


def made(**options):
    server = Server()
    store = WriteBehind(server, **options)
    return server, store, Repository(store)


def test_changed_notes_of_a_released_image():
    server, store, repository = made()
    repository.release("stable", "pump", "1.0", b"abc")
    repository.annotate("pump", "1.0", "signed")
    assert (store.flush(), server.log, Device("d", "stable", server).poll()) == (
        3, ['put image/pump/1.0', 'put channel/stable', 'put image/pump/1.0'],
        'pump 1.0 3 B 352441c2 - signed',
    )


def test_roll_back_and_new_release_in_one_go():
    server, store, repository = made()
    repository.release("stable", "pump", "1.0", b"old")
    repository.release("stable", "pump", "1.1", b"bad")
    older = repository.roll_back("stable", "pump")
    repository.release("stable", "pump", "1.1", b"good")
    store.flush()
    assert (older, server.log, Device("d", "stable", server).poll()) == (
        '1.0',
        ['put image/pump/1.0', 'put channel/stable', 'put image/pump/1.1', 'put channel/stable',
        'put image/pump/1.1', 'put channel/stable'],
        'pump 1.1 4 B 6c844e92',
    )


def test_order_without_references():
    server, store, _ = made()
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("a", 4), ("b", 5), ("c", 6)):
        store.put(key, value)
    store.delete("c")
    pending = store.num_pending
    assert (pending, store.keys(), store.get("c"), store.flush(), server.log) == (
        5, ['a', 'b'], None, 5, ['put a', 'put b', 'put a', 'put b', 'delete c'],
    )


def test_refused_change_stays_pending():
    server, store, repository = made()
    repository.release("stable", "fan", "2.0", b"f")
    store.flush()
    repository.report("d1", 10)
    repository.withdraw("fan", "2.0")
    repository.report("d1", 20)
    for _ in range(2):
        with pytest.raises(InUse, match="image/fan/2.0 by channel/stable"):
            store.flush()
    seen = [store.num_pending, repository.progress(), server.get("device/d1"), list(server.log)]
    server.delete("channel/stable")
    assert (seen, store.flush(), server.log[-2:], server.keys()) == (
        [2, {'d1': 20}, 10, ['put image/fan/2.0', 'put channel/stable', 'put device/d1']], 2,
        ['delete image/fan/2.0', 'put device/d1'], ['device/d1'],
    )


def test_offline():
    server, store, repository = made()
    repository.release("beta", "fan", "1.0", b"1")
    server.is_online = False
    with pytest.raises(Offline):
        store.flush()
    repository.release("beta", "fan", "1.1", b"2")
    repository.report("d", 5)
    repository.report("d", 6)
    server.is_online = True
    assert (store.flush(), server.log, repository.current("beta").line(), store.flush()) == (
        5,
        ['put image/fan/1.0', 'put channel/beta', 'put image/fan/1.1', 'put channel/beta',
        'put device/d'],
        'fan 1.1 1 B 1ad5be0d', 0,
    )
