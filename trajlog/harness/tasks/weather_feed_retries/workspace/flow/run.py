"""Runs records through stages.

A stage is a callable. It gets a record and answers the record for the next stage, or None to drop it. When the sink
is busy, the record goes through all stages again, from the beginning: for one record a stage may be called several
times, and each time it gets what the flow was given, so stages treat records as read-only. A stage that remembers
something about a record does so in `committed(record)`, which is called once the sink has taken it.
"""


class Busy(Exception):
    """The sink cannot take the record now."""


class GaveUp(RuntimeError):
    """The sink was busy too often."""


class Flow:
    def __init__(self, stages, sink, attempts=5):
        self._stages = list(stages)
        self._sink = sink
        self._attempts = attempts
        self.dropped = 0

    def run(self, records):
        """The number of records that reached the sink."""
        return sum(self._deliver(record) for record in records)

    def _deliver(self, record):
        for _ in range(self._attempts):
            result = self._pass(record)
            if result is None:
                self.dropped += 1
                return False
            try:
                self._sink(result)
            except Busy:
                continue
            for stage in self._stages:
                committed = getattr(stage, "committed", None)
                if committed:
                    committed(result)
            return True
        raise GaveUp(f"busy {self._attempts} times")

    def _pass(self, record):
        for stage in self._stages:
            record = stage(record)
            if record is None:
                return None
        return record
