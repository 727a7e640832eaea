"""SIGKILL of every role, again and again, over a SQLite log."""

import pytest

from tests.chaos.driver import ROLES, Chaos, kill_for


@pytest.mark.slow
def test_roles_killed_at_any_instant_lose_repeat_and_skip_nothing(chaos_folder, chaos_minutes, chaos_seed):
    with Chaos(f"sqlite:///{chaos_folder}/log.db", chaos_folder, chaos_seed) as chaos:
        report = kill_for(chaos, ROLES, chaos_minutes)
        assert report.ok, f"{report}\n{chaos.story()}"
    assert {kill.role for kill in chaos.kills} == set(ROLES)
    assert report.acknowledged > 0
