"""The printers of an office and who may print how much."""

from spool.job import HIGH, LOW, NORMAL, Job, JobError
from spool.queue import JobQueue

MANY_PAGES = 20


class Office:
    def __init__(self, budget_cents=10_000):
        self._queue = JobQueue()
        self._budget = budget_cents
        self._spent = {}
        self._last = 0
        self.printed = []

    def submit(self, owner, pages, priority=NORMAL, colour=False):
        """The number of the new job."""
        job = Job(self._last + 1, owner, pages, priority, colour)
        if self._spent.get(owner, 0) + job.cents() > self._budget:
            raise JobError(f"{owner} has no budget for {pages} pages")
        self._last = job.number
        self._spent[owner] = self._spent.get(owner, 0) + job.cents()
        self._queue.push(job)
        return job.number

    def withdraw(self, number):
        job = self._queue.remove(number)
        self._spent[job.owner] -= job.cents()

    def raise_priority(self, number, priority=HIGH):
        job = self._queue.find(number)
        if priority < job.priority:
            raise JobError(f"job {number} already has priority {job.priority}")
        self._queue.change([job], priority)

    def evening(self):
        """Long jobs may wait; the number of jobs that were lowered."""
        long_jobs = self._queue.where(lambda job: job.pages > MANY_PAGES and job.priority > LOW)
        self._queue.change(long_jobs, LOW)
        return len(long_jobs)

    def print_next(self):
        job = self._queue.pop()
        self.printed.append(job.number)
        return job.number

    def print_all(self):
        numbers = []
        while len(self._queue):
            numbers.append(self.print_next())
        return numbers

    def waiting(self):
        return [job.number for job in self._queue.in_order()]

    def bill(self):
        """Cents of every owner who printed or waits."""
        return {owner: cents for owner, cents in sorted(self._spent.items()) if cents}
