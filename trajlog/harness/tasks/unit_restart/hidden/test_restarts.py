import pytest
from supervise.config import parse
from supervise.launcher import DryLauncher
from supervise.supervisor import Supervisor

UNITS = """
[db]
command = db
delay = 2
[web]
command = web
needs = db
tries = 1
[job]
command = job
restart = on-failure
"""


@pytest.fixture
def launcher():
    return DryLauncher()


@pytest.fixture
def supervisor(launcher):
    return Supervisor(parse(UNITS), launcher)


def test_two_restarts_in_a_row(launcher, supervisor):
    supervisor.start("web")
    supervisor.restart("db")
    supervisor.restart("db")
    for _ in range(4):
        supervisor.tick(5)
    assert launcher.alive() == [("web", 102), ("db", 104)]
    assert supervisor.status()[:2] == [("db", "running", 104, 0), ("web", "running", 102, 0)]


def test_started_again_while_it_is_stopping(launcher, supervisor):
    supervisor.start("web")
    supervisor.stop("db")
    states = [row[1] for row in supervisor.status()]
    supervisor.start("web")
    supervisor.tick(1)
    supervisor.tick(10)
    assert states == ["stopping", "stopping", "stopped"]
    assert launcher.alive() == [("db", 103), ("web", 104)]
    assert supervisor.status()[:2] == [("db", "running", 103, 0), ("web", "running", 104, 0)]


def test_new_process_crashes_before_the_old_one_is_heard_of(launcher, supervisor):
    supervisor.start("db")
    supervisor.restart("db")
    launcher.end(102, 7)
    supervisor.tick(1)
    rows = [supervisor.status()[0]]
    supervisor.tick(2)
    rows.append(supervisor.status()[0])
    assert rows == [("db", "backoff", None, 1), ("db", "running", 103, 1)]
    assert launcher.alive() == [("db", 103)]


def test_restart_and_stop(launcher, supervisor):
    supervisor.start("job")
    supervisor.restart("job")
    supervisor.stop("job")
    supervisor.tick(1)
    supervisor.tick(60)
    assert (launcher.alive(), supervisor.status()[2]) == ([], ("job", "stopped", None, 0))
    assert supervisor.journal == [
        "0 job 101 started",
        "0 job 102 started",
        "1 job 101 exited with -15",
        "1 job 102 exited with -15",
    ]


def test_stopped_started_and_stopped_again(launcher, supervisor):
    supervisor.start("db")
    supervisor.stop("db")
    supervisor.start("db")
    supervisor.tick(0)
    middle = supervisor.status()[0]
    supervisor.stop("db")
    supervisor.tick(1)
    supervisor.start("db")
    supervisor.tick(1)
    assert (middle, supervisor.status()[0], launcher.alive()) == (
        ("db", "running", 102, 0),
        ("db", "running", 103, 0),
        [("db", 103)],
    )
