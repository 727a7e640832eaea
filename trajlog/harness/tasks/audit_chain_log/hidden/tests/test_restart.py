import itertools

from audit import AuditLog, MemoryStore, verify
from audit.console import main


def restarted(*details):
    """Findings before and after a restart."""
    store = MemoryStore()
    log = AuditLog(store, itertools.count(1000).__next__)
    for item in details:
        log.record_details("ben", "delivery", item)
    before = [str(finding) for finding in verify(log)]
    lines = []
    main(["verify"], store, lines.append)
    return before, lines


def test_numbers_below_the_top():
    pallets = {number: number * 2 for number in (2, 9, 10, 100, 33)}
    found = restarted({"pallets": pallets}, {"by": {"truck": [{"load": pallets}, [pallets]]}}, {"pair": (pallets, 1)})
    assert found == ([], ["0 findings"])


def test_other_keys():
    found = restarted({"answers": {True: 1, False: 2}}, {"x": {None: "n"}}, {"rates": {10.5: "a", 9.5: "b", 2: "c"}})
    assert found == ([], ["0 findings"])


def test_changes_in_such_entries_are_found():
    store = MemoryStore()
    log = AuditLog(store, itertools.count(5).__next__, segment_size=1)
    for amount in (1, 2, 3):
        log.record_details("eve", "delivery", {"pallets": {9: amount, 10: amount}})
    text = store.texts["audit-00002"]
    store.texts["audit-00002"] = text.replace('"9": 2', '"9": 7')
    lines = []
    assert main(["verify"], store, lines.append) == 1
    assert lines == ["entry 2: digest does not match", "1 findings"]


def test_logs_written_so_far():
    line = ('{"actor": "ada", "action": "delivery", "details": {"pallets": {"1": 5, "2": 6}, "note": "\u00e4"}, '
            '"previous": "0000000000000000"}')
    store = MemoryStore({"audit-00001": "#audit 1\n1\t77\tDIGEST\t" + line + "\n"})
    lines = []
    main(["verify"], store, lines.append)
    log = AuditLog(store, lambda: 77)
    fresh = MemoryStore()
    entry = AuditLog(fresh, lambda: 77).record("ada", "delivery", pallets={1: 5, 2: 6}, note="\u00e4")
    assert (lines, entry.digest) == (["entry 1: digest does not match", "1 findings"], "2215571b4c501222")
    store.texts["audit-00001"] = store.texts["audit-00001"].replace("DIGEST", entry.digest)
    assert [entry.number for entry in log.recent("ada")] == [1]
    assert verify(AuditLog(store, lambda: 0)) == []


def test_old_and_new_entries_in_one_chain():
    store = MemoryStore()
    clock = itertools.count(10).__next__
    seen = []
    for start in range(3):
        log = AuditLog(store, clock, segment_size=2, num_recent=3)
        seen.append(len(verify(log)))
        for number in range(2):
            log.record_details("w", "count", {"bins": {key: start for key in range(8, 12 + number)}})
        seen.append(len(verify(log)))
    lines = []
    main(["verify"], store, lines.append)
    main(["find", "bins.10", "2"], store, lines.append)
    assert (seen, lines) == ([0, 0, 0, 0, 0, 0], ["0 findings", "5 6"])
