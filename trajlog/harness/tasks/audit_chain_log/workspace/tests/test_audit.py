import itertools

import pytest
from audit import AuditError, AuditLog, MemoryStore, verify
from audit.console import main


@pytest.fixture
def store():
    return MemoryStore()


def make_log(store, **options):
    return AuditLog(store, itertools.count(1_700_000_000, 60).__next__, **options)


def output(argv, store):
    lines = []
    return main(argv, store, lines.append), lines


def test_entries_are_chained(store):
    log = make_log(store)
    first = log.record("ada", "login", host="a1")
    second = log.record("ben", "delivery", pallets={1: 40, 2: 38})
    assert (first.previous, second.previous == first.digest) == ("0" * 16, True)
    assert verify(log) == []
    assert output(["verify"], store) == (0, ["0 findings"])


def test_segments_roll_over(store):
    log = make_log(store, segment_size=2)
    for number in range(5):
        log.record("ada", "step", n=number)
    assert store.names() == ["audit-00001", "audit-00002", "audit-00003"]
    again = make_log(store, segment_size=2)
    again.record("ben", "step", n=7)
    assert output(["count"], store) == (0, ["ada: step 5", "ben: step 1"])
    assert output(["days"], store) == (0, ["2023-11-14    6 ada, ben"])
    assert output(["segments"], store)[1] == ["audit-00001 closed 2", "audit-00002 closed 2", "audit-00003 open 2"]
    assert output(["verify"], store) == (0, ["0 findings"])


def test_big_delivery_after_a_restart(store):
    log = make_log(store)
    log.record_details("ben", "delivery", {number: 40 + number for number in range(8, 12)})
    log.record("ada", "logout")
    assert verify(log) == []
    assert output(["verify"], store) == (0, ["0 findings"])


def test_changed_amount_is_found(store):
    log = make_log(store)
    log.record("ben", "delivery", amount=40)
    log.record("ben", "delivery", amount=41)
    store.texts["audit-00001"] = store.texts["audit-00001"].replace('"amount": 40', '"amount": 30')
    assert output(["verify"], store) == (1, ["entry 1: digest does not match", "1 findings"])


def test_unstorable_details(store):
    log = make_log(store)
    with pytest.raises((AuditError, TypeError)):
        log.record("ada", "odd", value={1, 2})
    assert verify(log) == []
