"""Lines into records.

A record begins with date, time, level and logger. Indented lines after it are its continuation; `+ key=value` lines
add fields to it. Blank lines are skipped.
"""

import re

from logread.fields import find_fields, without_fields
from logread.record import LEVELS, LogError, Record

HEAD = re.compile(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d) +([A-Z]+) +(\S+) ?(.*)")


class RecordReader:
    """Iterate over it once; `num_lines` and `num_records` count along."""

    def __init__(self, lines):
        self._lines = lines
        self.num_lines = 0
        self.num_records = 0
        self._head = None
        self._extra = []
        self._fields = {}

    def __iter__(self):
        for line in self._lines:
            self.num_lines += 1
            line = line.rstrip()
            if not line:
                continue
            match = HEAD.fullmatch(line)
            if match:
                if self._head is not None:
                    yield self._finish()
                self._begin(*match.groups())
            elif self._head is None:
                raise LogError(f"line {self.num_lines}: no record to continue: {line[:30]!r}")
            elif line.startswith("+ "):
                self._fields.update(find_fields(line[2:]))
            else:
                self._extra.append(line.strip())
        if self._head is not None:
            yield self._finish()

    def _begin(self, moment, level, logger, message):
        if level not in LEVELS:
            raise LogError(f"line {self.num_lines}: unknown level {level}")
        self._head = (moment.replace("T", " "), level, logger, without_fields(message), self.num_lines)
        self._extra = []
        self._fields = find_fields(message)

    def _finish(self):
        self.num_records += 1
        record = Record(*self._head, self._fields, self._extra)
        self._head = None
        return record
