import json
import threading

import pytest
from msgspec.structs import replace

from tests.schemas.events import example
from tests.stream.stream_events import RUN, episode
from trajlog.analytics.tail import tail_events
from trajlog.config import LogConfig, RunConfig
from trajlog.schemas import KINDS, Producer, encode
from trajlog.stream.control import start_run
from trajlog.stream.open import open_log

CONFIG = RunConfig(run_id=RUN, log=LogConfig(prefix="p", num_partitions=2))


@pytest.fixture
def log(tmp_path):
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as opened:
        start_run(opened, CONFIG, Producer("test"))
        opened.append("p.rollouts", encode(episode("g1", "episode-one", reward=1.0, outcome="solved", task="sums")))
        opened.append("p.rollouts", encode(episode("g2", "episode-two", reward=0.0, outcome="failed", task="sums")))
        yield opened


def tailed(log, stop=None, **options):
    settings = {"follow": False, "last": 1000, "as_json": True, **options}
    return tail_events(log, None, stop or threading.Event(), **settings)


def test_machines_get_one_object_a_line_with_where_it_stands_and_every_field(log):
    objects = [json.loads(line) for line in tailed(log, episode="episode-one")]
    assert [o["kind"] for o in objects][0 :: len(objects) - 1] == ["episode_started", "episode_finished"]
    assert {(o["topic"], o["episode_id"]) for o in objects} == {("p.rollouts", "episode-one")}
    assert [o["seq"] for o in objects] == list(range(len(objects)))
    assert all(isinstance(o["offset"], int) and o["append_time"].endswith("Z") for o in objects)
    assert objects[-1]["reward"] == 1.0


def test_people_get_one_line_an_event_with_what_happened(log):
    lines = list(tailed(log, as_json=False, kinds=["episode_finished"]))
    assert len(lines) == 2
    assert "sums solved  reward +1.00" in lines[0]
    assert "de-one"[-6:] in lines[0]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_one_line_even_with_line_breaks_in_its_text(log, kind):
    event = example(kind)
    odd = {"text": "a\nb\x85c", "content": "a\r\nb\x1b[31m", "arguments": "a\u2028b"}
    if kind == "episode_finished":
        odd = {"outcome": "error", "guard": None, "reward": None, "error": "a\nb\x1b[31m"}
    event = replace(event, **{name: value for name, value in odd.items() if hasattr(event, name)})
    log.append("p.control", encode([event]))
    for as_json in (False, True):
        *_, line = tailed(log, as_json=as_json, last=1, kinds=[kind])
        assert len(line.splitlines()) == 1
        assert kind in line
        assert "\x1b" not in line


def test_last_counts_records_of_each_partition(log):
    assert list(tailed(log, last=0)) == []
    positions = [(o["topic"], o["partition"]) for o in map(json.loads, tailed(log, last=1))]
    assert len(set(positions)) <= 4
    assert positions[0] != positions[-1]


def test_following_yields_what_comes_later_until_it_is_stopped(log):
    stop = threading.Event()
    lines = tailed(log, stop, follow=True, last=0)
    threading.Timer(0.2, lambda: log.append("p.control", encode([example("train_step")]))).start()
    assert json.loads(next(lines))["kind"] == "train_step"
    stop.set()
    assert list(lines) == []
