"""SIGKILL of every role and of the broker, again and again, over Kafka."""

import pytest

from tests.chaos.driver import ROLES, Chaos, kill_for


@pytest.mark.kafka
@pytest.mark.slow
@pytest.mark.usefixtures("lost_sockets")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_roles_and_broker_killed_at_any_instant_lose_repeat_and_skip_nothing(
    own_kafka_broker, kafka_prefix, chaos_folder, chaos_minutes, chaos_seed
):
    roles = (*ROLES, "broker")
    with Chaos(own_kafka_broker.url, chaos_folder, chaos_seed, kafka_prefix, own_kafka_broker) as chaos:
        report = kill_for(chaos, roles, chaos_minutes)
        assert report.ok, f"{report}\n{chaos.story()}"
    assert {kill.role for kill in chaos.kills} == set(roles)
    assert report.acknowledged > 0
