"""Jobs that wait for a printer."""

import heapq

from spool.job import JobError


class JobQueue:
    def __init__(self):
        self._heap = []

    def __len__(self):
        return len(self._heap)

    def push(self, job):
        heapq.heappush(self._heap, job)

    def pop(self):
        if not self._heap:
            raise JobError("nothing waits")
        return heapq.heappop(self._heap)

    def find(self, number):
        for job in self._heap:
            if job.number == number:
                return job
        raise JobError(f"job {number} does not wait")

    def remove(self, number):
        """Take a job out, wherever it stands."""
        job = self.find(number)
        self._heap.remove(job)
        return job

    def change(self, jobs, priority):
        """Give the jobs another priority."""
        for job in jobs:
            job.priority = priority
        heapq.heapify(self._heap)

    def in_order(self):
        return sorted(self._heap)

    def where(self, wanted):
        return [job for job in self._heap if wanted(job)]
