import pytest
from jobs.audit import Audit
from jobs.scheduler import Scheduler


@pytest.fixture
def audit():
    return Audit()


def fail(audit):
    audit.note("try")
    raise ValueError("no such file")


def test_jobs_run_for_their_user(audit):
    scheduler = Scheduler()
    for user in ("ada", "ben"):
        scheduler.submit(audit.note, "upload", user=user, host=f"{user}-pc")
    scheduler.submit(audit.note, "clean")
    scheduler.stop()
    assert audit.rows() == [
        ("ada", "upload", "host=ada-pc"),
        ("ben", "upload", "host=ben-pc"),
        ("system", "clean", ""),
    ]


def test_job_inside_a_job(audit):
    scheduler = Scheduler()

    def outer():
        scheduler.run_now(audit.note, "inner", user="ben")
        audit.note("outer")

    scheduler.submit(outer, user="ada").wait()
    assert audit.rows() == [("ben", "inner", ""), ("ada", "outer", "")]


def test_failed_job_keeps_its_error(audit):
    job = Scheduler().submit(fail, audit, user="ada")
    error = job.wait()
    assert (job.state, str(error)) == ("failed", "no such file")


def test_housekeeping_is_done_by_the_system(audit):
    scheduler = Scheduler()
    scheduler.submit(fail, audit, user="ada")
    scheduler.submit(audit.note, "clean")
    scheduler.stop()
    assert audit.by_user() == {"ada": 1, "system": 1}
