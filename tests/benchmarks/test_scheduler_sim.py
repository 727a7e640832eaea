"""What docs/scheduling.md says of the scheduler, held against its simulation in the short form."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "scheduler_sim.py"


@pytest.mark.slow
def test_groups_seal_early_slow_tasks_do_not_starve_and_under_wait_nothing_gets_stale():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick"], capture_output=True, text=True, timeout=120, check=True
    )
    figures = json.loads(done.stdout.splitlines()[-1])
    ours, peer = figures["peers"]["trajlog"], figures["peers"]["round robin"]
    assert ours["first_sealed_s"] < 200
    assert peer["first_sealed_s"] is None
    assert ours["sealed_per_1000"] > 50
    assert ours["share_30_70"] > figures["peers"]["groups in turn"]["share_30_70"]
    for name, limits in figures["limits"].items():
        if name.startswith("wait"):
            assert limits["slow_masked"] == limits["others_masked"] == 0
            assert limits["slow_starved"] == 0
            assert limits["length_bias"] == limits["length_bias_turns"] > 0.9
    assert figures["limits"]["drop, 4 steps"]["slow_starved"] == 0
    assert figures["kill"]["abandoned"] == figures["kill"]["episodes_lost"] > 0
    assert figures["kill"]["abandoned_after_s"] <= 60
    assert figures["kill"]["groups_filled"] + figures["kill"]["groups_partial"] == figures["kill"]["groups_touched"]
