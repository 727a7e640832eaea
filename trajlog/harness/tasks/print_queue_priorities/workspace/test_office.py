import pytest
from spool.job import HIGH, LOW, JobError
from spool.office import Office


def office_with(priorities):
    office = Office()
    for priority in priorities:
        office.submit("ada", 2, priority)
    return office


def test_priority_then_number():
    office = office_with([5, 1, 9, 5, 9])
    assert office.print_all() == [3, 5, 1, 4, 2]


def test_raised_jobs_come_first():
    office = office_with([5, 5, 4, 4, 3, 2, 2])
    office.raise_priority(7)
    office.raise_priority(5, 6)
    assert office.print_all() == [7, 5, 1, 2, 3, 4, 6]


def test_withdrawn_job_is_not_billed():
    office = Office()
    office.submit("ada", 10)
    office.submit("ben", 3, HIGH, colour=True)
    office.withdraw(1)
    assert (office.bill(), office.print_all()) == ({"ben": 75}, [2])


def test_refused():
    office = Office(budget_cents=100)
    with pytest.raises(JobError, match="budget"):
        office.submit("ada", 26)
    with pytest.raises(JobError, match="nothing"):
        office.print_next()


def test_raise_never_lowers():
    office = office_with([HIGH])
    with pytest.raises(JobError, match="already"):
        office.raise_priority(1, LOW)
