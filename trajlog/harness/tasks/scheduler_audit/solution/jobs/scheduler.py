"""Runs jobs in the background, each on behalf of somebody."""

import itertools
import queue
import threading
from dataclasses import dataclass, field

from jobs import context
from jobs.context import Context

_STOP = object()


@dataclass
class Job:
    number: int
    call: object
    args: tuple
    context: Context | None
    state: str = "queued"
    result: object = None
    finished: threading.Event = field(default_factory=threading.Event)

    def wait(self, timeout=2):
        if not self.finished.wait(timeout):
            raise TimeoutError(f"job {self.number} is {self.state}")
        return self.result


class Scheduler:
    """Jobs are taken in the order in which they came, by `workers` threads.

    A job without a user does the system's own work (housekeeping) and has no context.
    """

    def __init__(self, workers=1):
        self._queue = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, call, *args, user=None, **tags):
        job = self._job(call, args, user, tags)
        self._queue.put(job)
        return job

    def run_now(self, call, *args, user=None, **tags):
        """Run a job at once, in the thread of the caller."""
        job = self._job(call, args, user, tags)
        self._run(job)
        return job

    def _job(self, call, args, user, tags):
        made = Context(user, tags) if user is not None else None
        return Job(next(self._numbers), call, args, made)

    def _work(self):
        while (job := self._queue.get()) is not _STOP:
            self._run(job)

    def _run(self, job):
        job.state = "running"
        try:
            job.result = self._call(job)
            job.state = "done"
        except Exception as error:
            job.result = error
            job.state = "failed"
        finally:
            job.finished.set()

    def _call(self, job):
        if job.context is None:
            return job.call(*job.args)
        previous = context.bind(job.context)
        try:
            return job.call(*job.args)
        finally:
            context.unbind(previous)

    def stop(self, timeout=2):
        """Finish what is queued, then end the workers."""
        for _ in self._threads:
            self._queue.put(_STOP)
        for thread in self._threads:
            thread.join(timeout)
