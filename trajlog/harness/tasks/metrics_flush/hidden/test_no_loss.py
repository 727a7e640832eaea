import threading

from metrics.exporter import Exporter, SinkError
from metrics.registry import Registry


class Link:
    """Takes lines unless it is down. While it is at it, `meanwhile` runs in another thread."""

    def __init__(self):
        self.down = False
        self.lines = []
        self.meanwhile = None

    def __call__(self, lines):
        if self.meanwhile:
            thread = threading.Thread(target=self.meanwhile, daemon=True)
            thread.start()
            thread.join(2)
        if self.down:
            raise SinkError("down")
        self.lines += lines


def test_other_threads_go_on_measuring():
    registry, link = Registry(), Link()
    exporter = Exporter(registry, link, lambda: 0)
    registry.count("hits", 1, page="a")

    def meanwhile():
        registry.count("hits", 10, page="a")
        registry.count("hits", 20, page="b")
        registry.observe("ms", 2.5)

    link.meanwhile = meanwhile
    exporter.flush()
    link.meanwhile = None
    exporter.flush()
    assert link.lines == [
        "hits{page=a} total=1",
        "hits{page=a} total=10",
        "hits{page=b} total=20",
        "ms count=1 sum=2.5 p50=2.5 p95=2.5",
    ]


def test_failed_flush_is_made_up_for():
    registry, link = Registry(), Link()
    exporter = Exporter(registry, link, lambda: 0)
    registry.count("hits", 3)
    registry.gauge("load", 7)
    link.down = True
    first = exporter.flush()
    registry.count("hits", 4)
    link.down = False
    second = exporter.flush()
    assert (first, second, link.lines) == (False, True, ["hits total=7", "load value=7"])


def test_measured_during_a_failed_flush():
    registry, link = Registry(), Link()
    exporter = Exporter(registry, link, lambda: 0)
    registry.observe("ms", 9)
    registry.gauge("load", 1)
    link.down = True

    def meanwhile():
        registry.observe("ms", 5)
        registry.gauge("load", 2)

    link.meanwhile = meanwhile
    exporter.flush()
    link.down, link.meanwhile = False, None
    registry.observe("ms", 7)
    exporter.flush()
    assert link.lines == ["load value=2", "ms count=3 sum=21 p50=7 p95=9"]
    assert (exporter.sent, exporter.failures) == (2, 1)


def test_last_gauge_before_the_next_flush():
    registry, link = Registry(), Link()
    exporter = Exporter(registry, link, lambda: 0)
    registry.gauge("queue", 4)
    link.meanwhile = lambda: registry.count("late", 2)
    exporter.flush()
    registry.gauge("queue", 6)
    link.meanwhile = None
    exporter.flush()
    assert link.lines[-2:] == ["late total=2", "queue value=6"]
