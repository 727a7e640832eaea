"""What a harness leaves behind when it dies without a chance to clean up, and who removes it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from harness.sandbox.boxes import build_once, make_local, numbers

from trajlog.errors import SandboxError
from trajlog.harness.sandbox.local import remove_abandoned

HARNESS = """
import sys
from trajlog.harness.sandbox.{module} import {name} as Made
made = Made({{}})
process = made.start(["bash", "-c", "echo $$; setsid sleep 300 & echo $!; exec sleep 301"])
while process.output.text().count("\\n") < 2:
    process.pump(0.1)
print(process.output.text(), getattr(made, "container", ""), flush=True)
sys.stdin.read()
"""


def killed_harness(code, tmp_path):
    """Start a harness, kill it once its sandbox runs; what it said."""
    env = os.environ | {"TMPDIR": str(tmp_path)}
    harness = subprocess.Popen([sys.executable, "-c", code], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    said = b"".join(harness.stdout.readline() for _ in range(3)).decode()
    harness.kill()
    harness.wait()
    harness.stdin.close()
    harness.stdout.close()
    return said


def wait_until(condition, within_s=20.0):
    give_up = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_a_killed_harness_leaves_no_process_and_the_next_removes_its_folder(tmp_path):
    pids = numbers(killed_harness(HARNESS.format(module="local", name="LocalSandbox"), tmp_path))
    assert len(pids) == 2
    wait_until(lambda: not any(map(psutil.pid_exists, pids)))
    (left,) = tmp_path.glob("trajlog-box-*")
    with_other_names = tmp_path / "trajlog-box-not-ours"
    with_other_names.mkdir()
    remove_abandoned.__wrapped__(str(tmp_path))
    assert not left.exists()
    assert with_other_names.exists()


def test_a_living_sandbox_is_not_taken_for_an_abandoned_one():
    with make_local() as sandbox:
        remove_abandoned.__wrapped__(str(sandbox._base.parent))
        assert sandbox.run(["echo", "well"]).output == "well\n"


def test_a_folder_that_cannot_be_made_is_an_error_that_says_what_to_do(monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/proc/none")
    with pytest.raises(SandboxError, match="set TMPDIR"):
        make_local()


def test_folders_nested_too_deep_for_recursion_are_removed():
    with make_local() as made:
        code = "import os\nfor _ in range(1500):\n    os.mkdir('d'); os.chdir('d')"
        assert made.run(["python", "-c", code]).exit_code == 0
        assert made.workspace.files() == []
        base = made._base
    assert not Path(base).exists()


@pytest.mark.docker
def test_a_killed_harness_leaves_no_container(tmp_path):
    from trajlog.harness.sandbox.container import connect
    from trajlog.harness.sandbox.image import contents

    build_once()
    same_image = f"from trajlog.harness.sandbox import image\nimage.contents = lambda: ({{}}, {contents()[1]!r})\n"
    code = same_image + HARNESS.format(module="container", name="DockerSandbox")
    container = killed_harness(code, tmp_path).split()[-1]
    client = connect()
    wait_until(lambda: client.containers(all=True, filters={"id": container}) == [])
    client.close()


@pytest.mark.docker
def test_containers_of_dead_harnesses_are_swept_and_those_of_living_ones_are_not():
    from trajlog.harness.sandbox import container as containers
    from trajlog.harness.sandbox.image import find_image

    build_once()
    client = containers.connect()
    host, pid, created = containers.owner().split("/")
    owners = {"dead": f"{host}/{pid}/1.00", "alive": f"{host}/{pid}/{created}", "elsewhere": f"not-{host}/1/1.00"}
    made = {
        name: client.create_container(find_image(client), ["cat"], labels={containers.OWNER: label})["Id"]
        for name, label in owners.items()
    }
    try:
        containers._swept.cache_clear()
        containers.remove_abandoned(client)
        left = {found["Id"] for found in client.containers(all=True, filters={"label": containers.OWNER})}
        assert {name for name, found in made.items() if found in left} == {"alive", "elsewhere"}
    finally:
        for found in made.values():
            containers.remove_container(client, found)
        client.close()
