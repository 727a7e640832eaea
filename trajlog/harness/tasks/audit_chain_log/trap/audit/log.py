"""The log that a service writes."""

from audit.entry import START, Entry
from audit.segments import Segment


class AuditLog:
    """`clock` gives whole seconds. The newest entries are kept in memory for quick questions."""

    def __init__(self, store, clock, segment_size=100, num_recent=50):
        self._store = store
        self._clock = clock
        self._segment_size = segment_size
        self._num_recent = num_recent
        self._segments = [Segment.open(store, name) for name in store.names()]
        self._recent = [entry for segment in self._segments for entry in segment.entries()][-num_recent:]

    @property
    def segments(self):
        return list(self._segments)

    @property
    def last_digest(self):
        return self._recent[-1].digest if self._recent else START

    def record(self, actor, action, **details):
        return self.record_details(actor, action, details)

    def record_details(self, actor, action, details):
        """Append an entry and return it."""
        number = self._recent[-1].number + 1 if self._recent else 1
        named = {str(name): value for name, value in details.items()}
        entry = Entry(number, self._clock(), actor, action, named, self.last_digest).sealed()
        self._writable_segment().append(entry)
        self._recent = [*self._recent, entry][-self._num_recent:]
        return entry

    def recent(self, actor=None):
        return [entry for entry in self._recent if actor in (None, entry.actor)]

    def entries(self):
        """Everything, the oldest first; the newest come from memory."""
        first_recent = self._recent[0].number if self._recent else 0
        for segment in self._segments:
            for entry in segment.entries():
                if entry.number < first_recent:
                    yield entry
        yield from self._recent

    def _writable_segment(self):
        if self._segments and self._segments[-1].closed_with is None:
            segment = self._segments[-1]
            if segment.num_entries < self._segment_size:
                return segment
            segment.close(self.last_digest)
        segment = Segment.create(self._store, len(self._segments) + 1)
        self._segments.append(segment)
        return segment
