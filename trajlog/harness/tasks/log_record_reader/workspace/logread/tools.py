"""What is done with records."""

from collections import deque

from logread.reader import RecordReader


def read(text):
    return list(RecordReader(text.splitlines()))


def at_least(records, level_index):
    return (record for record in records if record.severity >= level_index)


def with_context(records, wanted, before=1):
    """Wanted records, each with up to `before` others in front of it."""
    recent = deque(maxlen=before)
    for record in records:
        if wanted(record):
            yield [*recent, record]
            recent.clear()
        else:
            recent.append(record)


def worst_first(records):
    return sorted(records, key=lambda record: (-record.severity, record.moment))


def merged(*texts):
    """Records of several logs in the order of time."""
    records = [record for text in texts for record in RecordReader(text.splitlines())]
    return sorted(records, key=lambda record: record.moment)


def totals(records, name):
    """Sums of a numeric field by logger."""
    sums = {}
    for record in records:
        value = record.fields.get(name)
        if isinstance(value, int):
            sums[record.logger] = sums.get(record.logger, 0) + value
    return sums
