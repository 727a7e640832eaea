"""Runs plans, and tries failed ones again the next night."""

from backups.journal import Journal
from backups.run import Run
from backups.volume import VolumeError


class Scheduler:
    def __init__(self, volume, archive):
        self.journal = Journal()
        self._volume = volume
        self._archive = archive
        self._plans = []
        self.failures = {}

    def add(self, plan):
        self._plans.append(plan)

    def night(self):
        """One run of each plan; the numbers of the snapshots by plan."""
        numbers = {}
        for plan in self._plans:
            try:
                numbers[plan.name] = self._run(plan)
            except VolumeError as error:
                self.failures[plan.name] = self.failures.get(plan.name, 0) + 1
                self.journal.note(plan.name, f"failed: {error}")
        return numbers

    def _run(self, plan):
        run = Run(plan, self._volume, self._archive, self.journal)
        number = run.copy()
        run.close()
        return number
