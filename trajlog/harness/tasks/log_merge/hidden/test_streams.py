from logmerge import head, merge
from logmerge.filters import at_least, between
from logmerge.merge import count_by_host
from logmerge.summary import bursts


def counted(name, lines, reads):
    for line in lines:
        reads[name] = reads.get(name, 0) + 1
        yield line


def ticks(step, count, level="INFO"):
    return [f"00:{t // 60:02d}:{t % 60:02d} {level} tick {t}" for t in range(step, step * count + 1, step)]


def test_equal_times_come_in_the_order_of_the_hosts():
    logs = {"zeta": ticks(10, 2), "alpha": ticks(5, 4), "mid": ticks(20, 1)}
    assert [(line.host, line.entry.seconds) for line in merge(logs)] == [
        ("alpha", 5),
        ("zeta", 10),
        ("alpha", 10),
        ("alpha", 15),
        ("zeta", 20),
        ("alpha", 20),
        ("mid", 20),
    ]


def test_inputs_are_read_only_as_far_as_needed():
    reads = {}
    logs = {name: counted(name, ticks(step, 50), reads) for name, step in (("a", 2), ("b", 3), ("c", 40))}
    got = [f"{line.host}{line.entry.seconds}" for line in head(merge(logs), 3)]
    assert got == ["a2", "b3", "a4"]
    assert reads["c"] == 1 and reads["a"] <= 4 and reads["b"] <= 3


def test_counts_by_host():
    logs = {"a": ticks(3, 5), "b": ticks(4, 6, "ERROR"), "c": ticks(1, 9, "DEBUG")}
    assert count_by_host(merge(logs, at_least("INFO"), between(6, 16))) == {"a": 4, "b": 3}


def test_bursts():
    logs = {"a": ticks(3, 5), "b": ticks(1, 4), "c": ticks(7, 3)}
    assert list(bursts(merge(logs), 3, 7)) == [("b", 1), ("a", 3)]


def test_two_merges_side_by_side():
    first = merge({"a": ticks(2, 3), "b": ticks(3, 2)})
    second = merge({"x": ticks(2, 3), "y": ticks(3, 2)})
    assert [one.host + two.host for one, two in zip(first, second)] == ["ax", "by", "ax", "ax", "by"]
