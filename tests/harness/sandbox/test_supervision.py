"""The processes that answer for a command: what a command can do to them, and what comes of it."""

import pytest
from harness.sandbox.boxes import are_gone, make_docker, make_local, numbers, pump_until

from trajlog.harness.sandbox import LocalSandbox

ORPHANS = """import os, sys, time
warden = os.getppid()
supervisor = int(open(f"/proc/{warden}/stat").read().rpartition(")")[2].split()[1])
told, tell = os.pipe()
for cleared in CLEARED:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(tell, b"%d\\n" % os.getpid())
            os.execve("/bin/sleep", ["sleep", "300"], {} if cleared else dict(os.environ))
        os._exit(0)
pids = b""
while pids.count(b"\\n") < len(CLEARED):
    pids += os.read(told, 100)
with open("pids", "wb") as file:
    file.write(pids + b"%d\\n" % os.getpid())
"""
"""Leaves two grandchildren in sessions of their own, one with an empty environment; writes all pids to a file."""


def orphans(then, cleared=(False, True)):
    return ["python", "-c", f"CLEARED = {cleared}\n{ORPHANS}{then}\ntime.sleep(300)"]


def pids_of(sandbox):
    return numbers(sandbox.workspace.read("pids").decode())


def test_a_deadline_kills_the_whole_tree_and_keeps_the_output(sandbox):
    script = "echo $$; sleep 300 & echo $!; setsid sleep 301 & echo $!; env -i setsid sleep 302 & echo $!; sleep 303"
    result = sandbox.run(["bash", "-c", script], timeout_s=1.0)
    assert (result.killed, result.exit_code) == ("timeout", None)
    assert result.duration_s < 8
    assert len(numbers(result.output)) == 4
    assert are_gone(sandbox, numbers(result.output), within_s=0.0)


def test_processes_left_behind_are_killed_when_the_command_ends(sandbox):
    result = sandbox.run(["bash", "-c", "setsid sleep 300 & echo $!; (env -i setsid sleep 301 & echo $!); exit 0"])
    assert (result.exit_code, result.survivors) == (0, 2)
    assert are_gone(sandbox, numbers(result.output), within_s=0.0)
    assert "2 background process(es) were killed" in result.status_line(sandbox.limits)


def test_signals_that_ask_for_an_end_are_ignored_yet_the_deadline_holds(sandbox):
    code = "import signal,time\nfor s in (2,15,1): signal.signal(s, signal.SIG_IGN)\nprint('deaf')\ntime.sleep(300)"
    result = sandbox.run(["python", "-c", code], timeout_s=1.0)
    assert result.timed_out
    assert result.output == "deaf\n"


@pytest.mark.parametrize("victims", ["supervisor", "warden", "supervisor, warden"])
def test_a_command_that_kills_those_who_watch_it_is_told_and_leaves_nothing(make, victims):
    with make({"kept.txt": b"kept"}) as made:
        result = made.run(orphans(f"for victim in ({victims},): os.kill(victim, 9)"))
        assert (result.killed, result.exit_code) == ("supervisor", None)
        assert "ended the process that supervises it" in result.status_line(made.limits)
        assert len(pids_of(made)) == 3
        assert are_gone(made, pids_of(made))
        assert made.workspace.read("kept.txt") == b"kept"
        assert made.run(["echo", "well"]).output == "well\n"


@pytest.mark.parametrize("victim", ["supervisor", "warden"])
def test_a_command_that_stops_those_who_watch_it_still_meets_its_deadline(make, victim, monkeypatch):
    monkeypatch.setattr("trajlog.harness.sandbox.process.CLOSE_WITHIN_S", 1.0)
    with make() as made:
        assert made.run(orphans(f"os.kill({victim}, 19)"), timeout_s=1.0).killed == "timeout"
        assert are_gone(made, pids_of(made))
        assert made.run(["echo", "well"]).output == "well\n"


def test_a_started_process_that_kills_the_supervisor_between_calls_costs_only_itself(make):
    with make({"kept.txt": b"kept"}) as made:
        process = made.start(orphans("os.kill(supervisor, 9)"))
        assert process.pump(20.0)
        assert process.close().killed == "supervisor"
        assert made.workspace.read("kept.txt") == b"kept"
        assert made.run(["echo", "well"]).output == "well\n"
        assert are_gone(made, pids_of(made))


def test_a_supervisor_found_dead_by_the_next_call_is_replaced_and_the_call_is_made(make):
    with make() as made:
        process = made.start(orphans("print('there', flush=True)"))
        pump_until(process, "there")
        made.run(["bash", "-c", f"kill -9 {made.supervisor_pid}"])
        assert made.run(["echo", "well"]).output == "well\n"
        assert process.close().killed == "supervisor"
        assert are_gone(made, pids_of(made))


def test_a_started_process_that_stops_the_supervisor_is_the_one_that_pays(make, monkeypatch):
    monkeypatch.setattr("trajlog.harness.sandbox.process.START_WITHIN_S", 1.0)
    with make() as made:
        code = "print('there', flush=True)\nos.read(int(sys.argv[1]), 1)\nos.kill(supervisor, 19)"
        process = made.start([*orphans(code), "{channel}"])
        pump_until(process, "there")
        process.send(b"!")
        process.pump(0.3)
        assert made.run(["echo", "well"]).output == "well\n"
        assert process.close().killed == "supervisor"
        assert are_gone(made, pids_of(made))


@pytest.mark.docker
def test_a_command_that_kills_all_it_can_reach_does_not_end_its_container():
    with make_docker({"kept.txt": b"kept"}) as made:
        assert made.run(["bash", "-c", "kill -9 1; kill -9 -1; sleep 300"]).killed == "supervisor"
        assert made.workspace.read("kept.txt") == b"kept"
        assert made.run(["echo", "well"]).output == "well\n"


@pytest.mark.docker
def test_a_supervisor_in_a_container_cannot_be_read_by_commands():
    with make_docker() as made:
        made.run(["true"])
        for name in ("mem", "fd/0", "environ"):
            path = f"/proc/{made.supervisor_pid}/{name}"
            assert "PermissionError" in made.run(["python", "-c", f"open({path!r}, 'rb').read(1)"]).output


def test_without_a_cgroup_the_local_sandbox_finds_orphans_by_their_mark(monkeypatch):
    connect = LocalSandbox._connect

    def without_cgroup(self):
        connection, hello = connect(self)
        return connection, hello | {"cgroup": None}

    monkeypatch.setattr(LocalSandbox, "_connect", without_cgroup)
    with make_local() as made:
        result = made.run(orphans("os.kill(supervisor, 9)\nos.kill(warden, 9)", cleared=(False, False)))
        assert result.killed == "supervisor"
        assert made.supervisor_cgroup is None
        assert are_gone(made, pids_of(made))
