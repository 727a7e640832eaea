"""Many episodes' worth of sandboxes in a row leave nothing. TRAJLOG_SOAK_EPISODES (default 30) says how many."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from harness.sandbox.boxes import build_once, open_descriptors

from trajlog.harness.sandbox import SandboxPool
from trajlog.harness.sandbox.cgroups import own_folder

EPISODES = int(os.environ.get("TRAJLOG_SOAK_EPISODES", "30"))
pytestmark = pytest.mark.slow
KINDS = ["local", pytest.param("docker", marks=pytest.mark.docker)]


def footprint(kind):
    """What could be left: descriptors, child processes, temporary folders, cgroups, containers."""
    found = {
        "descriptors": open_descriptors(),
        "children": len(psutil.Process().children(recursive=True)),
        "folders": len(list(Path(tempfile.gettempdir()).glob("trajlog-box-*"))),
        "cgroups": len(list(Path(own_folder() or "/nowhere").glob("trajlog-box-*"))) if kind == "local" else 0,
    }
    if kind == "docker":
        from trajlog.harness.sandbox.container import OWNER, connect, owner

        client = connect()
        found["containers"] = len(client.containers(all=True, filters={"label": f"{OWNER}={owner()}"}))
        client.close()
    return found


def episode(pool, number):
    with pool({"main.py": b"print('hi')"}) as sandbox:
        beside = sandbox.start(["bash", "-c", "setsid sleep 300 & echo $$; exec sleep 300"])
        outputs = [
            sandbox.run(["python", "main.py"]).output,
            sandbox.run(["bash", "-c", f"setsid sleep 300 & echo {number}"]).output,
        ]
        if number % 2:
            beside.close()
    return outputs


@pytest.mark.timeout(60 + 6 * EPISODES)
@pytest.mark.parametrize("kind", KINDS)
def test_episodes_in_a_row_leave_nothing(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if kind == "docker":
        build_once()
    with SandboxPool(kind) as pool:
        episode(pool, 0)  # what is made once per process
        before = footprint(kind)
        for number in range(EPISODES):
            assert episode(pool, number) == ["hi\n", f"{number}\n"]
        assert footprint(kind) == before


@pytest.mark.parametrize("kind", KINDS)
def test_sixteen_at_once_miss_no_deadline_because_of_another(kind):
    """Each burns half a second of CPU, so that 16 of them keep two cores busy for longer than one's deadline."""
    if kind == "docker":
        build_once()
    code = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass\nprint('done')"
    with SandboxPool(kind) as pool:

        def work(_):
            with pool({}) as sandbox:
                return sandbox.run(["python", "-c", code], timeout_s=15.0)

        with ThreadPoolExecutor(16) as threads:
            results = list(threads.map(work, range(16)))
    assert [(result.output, result.killed) for result in results] == [("done\n", None)] * 16
