import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness.sandbox.boxes import build_once, open_descriptors

from trajlog.errors import SandboxError
from trajlog.harness.sandbox import Limits, SandboxPool
from trajlog.harness.sandbox.base import MiB
from trajlog.harness.sandbox.choice import choose, open_pool


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def kind(request):
    if request.param == "docker":
        build_once()
    return request.param


def test_a_pool_gives_sandboxes_with_the_files_asked_for(kind):
    with SandboxPool(kind, num_warm=1) as pool:
        assert pool.wait_until_warm(60.0)
        for name in ("a", "b", "c"):
            with pool({name: name.encode()}) as made:
                assert made.workspace.files() == [name]
                assert made.run(["cat", name]).output == name


def test_no_more_commands_run_at_once_than_the_pool_allows(kind):
    """Each command meets the others: with three allowed at once, never more than three, and three at some time."""
    running, most, lock = 0, 0, threading.Lock()

    class Counted:
        def __init__(self, gate):
            self.gate = gate

        def acquire(self, timeout):
            nonlocal running, most
            got = self.gate.acquire(timeout=timeout)
            with lock:
                running += got
                most = max(most, running)
            return got

        def release(self):
            nonlocal running
            with lock:
                running -= 1
            self.gate.release()

    with SandboxPool(kind, max_busy=3) as pool:

        def work(number):
            with pool({}) as made:
                made.gate = Counted(made.gate)
                return made.run(["bash", "-c", f"sleep 0.2; echo {number}"], timeout_s=30.0)

        with ThreadPoolExecutor(8) as threads:
            results = list(threads.map(work, range(8)))
    assert [result.output for result in results] == [f"{number}\n" for number in range(8)]
    assert most == 3


def test_a_command_that_waited_for_its_turn_is_not_late(kind):
    with SandboxPool(kind, max_busy=1) as pool:

        def work(_):
            with pool({}) as made:
                return made.run(["bash", "-c", "sleep 0.5; echo done"], timeout_s=10.0)

        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(work, range(4)))
    assert all(result.output == "done\n" for result in results)
    assert max(result.duration_s for result in results) < 2.0


def test_a_sandbox_that_is_cancelled_while_it_waits_for_its_turn_waits_no_longer():
    with SandboxPool("local", max_busy=1) as pool, pool({}) as first, pool({}) as second:
        first.gate.acquire()
        timer = threading.Timer(0.1, second.cancel)
        timer.start()
        with pytest.raises(SandboxError, match="waited for its turn"):
            second.run(["true"])
        timer.join()
        first.gate.release()
        assert first.run(["echo", "well"]).output == "well\n"


def test_limits_of_one_command_are_its_own(kind):
    with SandboxPool(kind, num_warm=1) as pool:
        with pool({}, Limits(timeout_s=0.5)) as made:
            assert made.run(["sleep", "60"]).killed == "timeout"
        with pool({}, Limits(memory_bytes=128 * MiB)) as made:
            assert "MemoryError" in made.run(["python", "-c", "bytearray(10**9)"]).output


@pytest.mark.docker
def test_warm_containers_are_refilled_and_a_dead_one_is_passed_over():
    build_once()
    with SandboxPool("docker", num_warm=2) as pool:
        assert pool.wait_until_warm(60.0)
        for waiting in list(pool._warm):
            waiting._client.kill(waiting.container)
        with pool({"a": b"1"}) as made:
            assert made.run(["cat", "a"]).output == "1"
        assert pool.wait_until_warm(60.0)
        with pool({"b": b"2"}) as made:
            assert made.run(["ls"]).output == "b\n"


@pytest.mark.docker
def test_closing_a_pool_leaves_no_container_and_no_descriptor():
    from trajlog.harness.sandbox.container import OWNER, connect, owner

    build_once()
    client = connect()

    def mine() -> set[str]:
        """Containers of this process: other tests' pools may keep some warm."""
        return {found["Id"] for found in client.containers(all=True, filters={"label": f"{OWNER}={owner()}"})}

    others, before = mine(), open_descriptors()
    pool = SandboxPool("docker", num_warm=2)
    assert pool.wait_until_warm(60.0)
    assert len(mine() - others) == 2
    pool.close()
    assert mine() == others
    assert open_descriptors() == before
    client.close()


def test_without_an_engine_auto_is_local_with_the_reason_and_docker_is_refused(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    told = []
    with open_pool("auto", on_status=told.append) as pool:
        assert pool.kind == "local"
    assert "no Docker engine answers at" in told[0]
    assert "not a security boundary" in told[0]
    with pytest.raises(SandboxError, match=r"episode\.sandbox to local"):
        choose("docker")
    assert "not a security boundary" in choose("local").reason


@pytest.mark.docker
def test_without_the_image_auto_is_local_and_says_how_to_make_it(monkeypatch):
    monkeypatch.setattr("trajlog.harness.sandbox.image.contents", lambda: ({}, "of-nothing"))
    choice = choose("auto")
    assert choice.kind == "local"
    assert "trajlog sandbox build" in choice.reason


@pytest.mark.docker
def test_with_engine_and_image_auto_is_docker():
    build_once()
    choice = choose("auto")
    assert choice.kind == "docker"
    assert "no network" in choice.reason
