"""A job table: a schedule, a name and a command per line; `#` starts a comment."""

from itertools import islice

from cron.fields import CronError
from cron.schedule import SHORTHANDS, Schedule


class Table:
    def __init__(self):
        self._jobs = {}

    @classmethod
    def parse(cls, text):
        table = cls()
        for number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].strip()
            if line:
                try:
                    table._add_line(line)
                except CronError as error:
                    raise CronError(f"line {number}: {error}") from None
        return table

    def _add_line(self, line):
        num_fields = 1 if line.split()[0] in SHORTHANDS else 5
        words = line.split(None, num_fields + 1)
        if len(words) < num_fields + 2:
            raise CronError("no command")
        *fields, name, command = words
        if name in self._jobs:
            raise CronError(f"{name!r} is there already")
        self._jobs[name] = Schedule(" ".join(fields)), command

    def next_runs(self, name, start, count=3):
        if name not in self._jobs:
            raise CronError(f"no job {name!r}")
        return list(islice(self._jobs[name][0].runs(start), count))

    def describe(self, name, start, count=3):
        moments = self.next_runs(name, start, count)
        shown = ", ".join(f"{moment:%a %d %b %H:%M}" for moment in moments)
        return f"next runs of {name!r}: {shown or 'nothing within 4 years'}"

    def due(self, moment):
        """Commands that run at that minute."""
        return [command for schedule, command in self._jobs.values()
                if schedule.is_on(moment) and (moment.hour, moment.minute) in set(schedule._times())]
