import pytest
from metrics.exporter import Exporter, SinkError
from metrics.registry import MetricError, Registry


class Sink:
    def __init__(self):
        self.batches = []
        self.meanwhile = lambda: None

    def __call__(self, lines):
        self.meanwhile()
        self.batches.append(lines)


@pytest.fixture
def registry():
    return Registry()


def test_lines(registry):
    sink = Sink()
    registry.count("requests", 2, path="/", host="a")
    registry.gauge("load", 0.25)
    for value in (4, 8, 1):
        registry.observe("latency", value)
    Exporter(registry, sink, lambda: 0).flush()
    assert sink.batches == [
        ["latency count=3 sum=13 p50=4 p95=8", "load value=0.25", "requests{host=a,path=/} total=2"]
    ]


def test_every_flush_starts_anew(registry):
    sink = Sink()
    exporter = Exporter(registry, sink, lambda: 0)
    for amount in (3, 4):
        registry.count("jobs", amount)
        registry.gauge("workers", 8)
        exporter.flush()
    assert sink.batches == [["jobs total=3", "workers value=8"], ["jobs total=4", "workers value=8"]]


def test_flush_when_it_is_time(registry):
    times = iter([0, 5, 10, 12])
    exporter = Exporter(registry, Sink(), lambda: next(times))
    assert [exporter.tick() for _ in range(3)] == [False, True, False]


def test_requests_while_lines_are_sent(registry):
    sink = Sink()
    exporter = Exporter(registry, sink, lambda: 0)
    registry.count("requests", 5)
    sink.meanwhile = lambda: registry.count("requests", 2)
    exporter.flush()
    sink.meanwhile = lambda: None
    exporter.flush()
    assert sink.batches == [["requests total=5"], ["requests total=2"]]


def test_nothing_is_lost_when_the_sink_is_down(registry):
    def broken(lines):
        raise SinkError("down")

    exporter = Exporter(registry, broken, lambda: 0)
    registry.count("requests")
    assert (exporter.flush(), exporter.failures, exporter.sent) == (False, 1, 0)


def test_one_name_one_kind(registry):
    registry.count("jobs")
    with pytest.raises(MetricError, match="jobs is a counter, not a gauge"):
        registry.gauge("jobs", 2)
