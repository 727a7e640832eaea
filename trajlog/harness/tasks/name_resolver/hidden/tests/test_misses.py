from resolver.client import Resolver
from resolver.upstream import Upstream, Zone


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def started(limit=1000):
    zone = Zone("org", negative=100).add("a", "A", "1.1.1.1", ttl=500).add("a", "MX", "m1", "m2", ttl=50)
    zone.add("b", "CNAME", "a.org", ttl=300).add("c", "TXT", "hi", ttl=10)
    clock, upstream = Clock(), Upstream(zone)
    return clock, upstream, zone, Resolver(upstream, clock, limit)


def test_each_type_on_its_own():
    _, upstream, _, resolver = started()
    found = [resolver.try_all("a.org", ["TXT", "A", "AAAA", "MX"]) for _ in range(2)]
    assert found[0] == {"TXT": "NoRecord", "A": ["1.1.1.1"], "AAAA": "NoRecord", "MX": ["m1", "m2"]}
    assert found[1] == found[0]
    assert upstream.log == ["a.org TXT", "a.org A", "a.org AAAA", "a.org MX"]


def test_no_name_counts_for_all_types():
    clock, upstream, zone, resolver = started()
    found = [resolver.try_all("x.org", ["A", "TXT", "MX"])]
    zone.add("x", "TXT", "new")
    clock.now = 99
    found.append(resolver.try_all("X.ORG.", ["TXT", "A"]))
    clock.now = 100
    found.append(resolver.try_all("x.org", ["TXT", "A"]))
    assert found == [
        {"A": "NoName", "TXT": "NoName", "MX": "NoName"},
        {"TXT": "NoName", "A": "NoName"},
        {"TXT": ["new"], "A": "NoRecord"},
    ]
    assert upstream.log == ["x.org A", "x.org TXT", "x.org A"]


def test_known_answer_survives_a_miss_of_another_type():
    clock, upstream, _, resolver = started()
    resolver.resolve("a.org", "A")
    found = resolver.try_all("a.org", ["TXT"])
    clock.now = 90
    found.update(resolver.try_all("a.org", ["A", "TXT"]))
    assert found == {"TXT": "NoRecord", "A": ["1.1.1.1"]}
    assert upstream.log == ["a.org A", "a.org TXT"]


def test_miss_behind_an_alias():
    clock, upstream, _, resolver = started()
    found = [resolver.try_all("b.org", ["SRV", "A", "MX"])]
    clock.now = 60
    found.append(resolver.try_all("b.org", ["SRV", "MX"]))
    assert found == [
        {"SRV": "NoRecord", "A": ["1.1.1.1"], "MX": ["m1", "m2"]}, {"SRV": "NoRecord", "MX": ["m1", "m2"]}
    ]
    assert upstream.log[-1] == "a.org MX"
    assert len(upstream.log) == 7


def test_flush_forgets_one_name():
    _, upstream, zone, resolver = started()
    resolver.try_all("c.org", ["A", "TXT"]), resolver.try_all("a.org", ["SRV", "A"])
    zone.add("c", "A", "3.3.3.3")
    resolver.flush("C.org")
    found = resolver.try_all("c.org", ["A", "TXT"]), resolver.try_all("a.org", ["SRV", "A"])
    assert found == ({"A": ["3.3.3.3"], "TXT": ["hi"]}, {"SRV": "NoRecord", "A": ["1.1.1.1"]})
    assert upstream.log == ["c.org A", "c.org TXT", "a.org SRV", "a.org A", "c.org A", "c.org TXT"]
