from msgspec.structs import replace

from tests.schemas.events import example
from trajlog.producers.routing import Route, Router


def acknowledged(endpoint, version):
    return replace(example("policy_acknowledged"), endpoint=endpoint, policy_version=version)


def beat(endpoint, leaving=False, role="engine"):
    return replace(example("heartbeat"), endpoint=endpoint, leaving=leaving, role=role)


def router(*endpoints, only=None):
    made = Router(lease_s=10.0, only=only)
    for endpoint in endpoints:
        made.acknowledged(acknowledged(endpoint, 3))
        made.heard(beat(endpoint), now_s=0.0)
    return made


def test_the_newest_acknowledged_version_is_asked_for_and_versions_never_go_back():
    made = router("http://a")
    made.acknowledged(acknowledged("http://a", 5))
    made.acknowledged(acknowledged("http://a", 4))
    assert made.route("e", 1.0) == Route("http://a", 5)


def test_an_episode_stays_with_its_engine_and_episodes_spread():
    made = router("http://a", "http://b")
    routes = {f"episode-{i}": made.route(f"episode-{i}", 1.0).endpoint for i in range(50)}
    assert set(routes.values()) == {"http://a", "http://b"}
    assert all(made.route(episode, 2.0).endpoint == endpoint for episode, endpoint in routes.items())


def test_an_engine_counts_from_heartbeat_to_lease_failure_or_leaving():
    made = router("http://a")
    assert made.route("e", 9.9) is not None
    assert made.route("e", 10.0) is None
    made.heard(beat("http://a"), now_s=20.0)
    assert made.route("e", 21.0) is not None
    made.lost("http://a")
    assert made.route("e", 21.0) is None
    made.heard(beat("http://a"), now_s=22.0)
    made.heard(beat("http://a", leaving=True), now_s=23.0)
    assert made.route("e", 23.0) is None


def test_a_restarted_engine_at_a_new_address_takes_the_dead_ones_place():
    made = router("http://old")
    made.lost("http://old")
    made.acknowledged(acknowledged("http://new", 4))
    made.heard(beat("http://new"), now_s=5.0)
    assert made.route("e", 6.0) == Route("http://new", 4)


def test_an_engine_without_an_acknowledgement_and_a_worker_are_no_route():
    made = Router(lease_s=10.0)
    made.heard(beat("http://a"), now_s=0.0)
    made.acknowledged(acknowledged("http://b", 1))
    made.heard(beat("http://b", role="worker"), now_s=0.0)
    assert made.route("e", 1.0) is None


def test_one_named_engine_is_used_alone():
    made = router("http://a", "http://b", only="http://b")
    assert {made.route(str(i), 1e9).endpoint for i in range(20)} == {"http://b"}
