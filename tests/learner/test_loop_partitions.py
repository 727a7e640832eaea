"""The loop over several partitions, on both logs: killed around its durable steps, every group trained once."""

import pytest

from tests.learner.groups import simple_group
from tests.learner.learner_process import make_config
from tests.learner.lives import NAMES, check, events, history, run
from trajlog.schemas import LearnerStarted, encode
from trajlog.stream.open import open_log


@pytest.fixture(params=["sqlite", pytest.param("kafka", marks=pytest.mark.kafka)])
def log(request, tmp_path):
    url = f"sqlite:///{tmp_path}/log.db"
    if request.param == "kafka":
        url = request.getfixturevalue("kafka_broker").url
    with open_log(url, create=True) as log:
        yield log


@pytest.mark.parametrize("lives", [[], [1, 2, 2, 1]])
def test_every_group_is_trained_once(tmp_path, log, kafka_prefix, lives):
    config = make_config(prefix=kafka_prefix, num_partitions=3, max_steps=3)
    log.create_topics(config.topics())
    groups = config.topic("groups")
    log.append(groups, encode([simple_group(name) for name in NAMES]))
    for at in lives:
        assert not run(log, config, tmp_path / "l", at)
    assert run(log, config, tmp_path / "l")
    check(log, config)
    assert len([e for e in events(log, config) if isinstance(e, LearnerStarted)]) == len(lives) + 1
    committed = log.committed(f"{kafka_prefix}.learner", [groups])
    last = history(log, config).steps[-1]
    assert {f"{tp.topic}-{tp.partition}": offset for tp, offset in committed.items()} == last.offsets
    ends = log.end_offsets(groups)
    assert committed == {tp: ends[tp] for tp in committed}
