from jobs.audit import Audit
from jobs.context import current
from jobs.scheduler import Scheduler


def boom(audit, action):
    audit.note(action)
    raise RuntimeError(action)


def test_system_work_after_several_failures():
    audit = Audit()
    scheduler = Scheduler()
    for number, user in enumerate(["ada", "ben", "cid"]):
        scheduler.submit(boom, audit, f"step {number}", user=user, room=number)
        scheduler.submit(audit.note, f"tidy {number}")
    scheduler.stop()
    assert audit.rows() == [
        ("ada", "step 0", "room=0"),
        ("system", "tidy 0", ""),
        ("ben", "step 1", "room=1"),
        ("system", "tidy 1", ""),
        ("cid", "step 2", "room=2"),
        ("system", "tidy 2", ""),
    ]


def test_failed_job_inside_a_job():
    audit = Audit()
    scheduler = Scheduler()

    def outer():
        audit.note("before")
        scheduler.run_now(boom, audit, "inner", user="ben", depth=2)
        audit.note("after")

    scheduler.submit(outer, user="ada", depth=1)
    scheduler.submit(audit.note, "tidy")
    scheduler.stop()
    assert audit.rows() == [
        ("ada", "before", "depth=1"),
        ("ben", "inner", "depth=2"),
        ("ada", "after", "depth=1"),
        ("system", "tidy", ""),
    ]


def test_failed_job_in_the_callers_thread():
    audit = Audit()
    scheduler = Scheduler()
    first = scheduler.run_now(boom, audit, "first", user="ada")
    audit.note("between")
    second = scheduler.run_now(boom, audit, "second")
    assert [row[0] for row in audit.rows()] == ["ada", "system", "system"]
    assert [(job.number, job.state) for job in (first, second)] == [(1, "failed"), (2, "failed")]


def test_system_work_inside_a_job_acts_for_its_user():
    audit = Audit()
    scheduler = Scheduler()

    def outer():
        scheduler.run_now(boom, audit, "probe")
        return current().user

    assert scheduler.submit(outer, user="ada").wait() == "ada"
    assert audit.by_user() == {"ada": 1}
