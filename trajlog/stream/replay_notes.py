"""What a replay of events remembers in its destination: where it began, and what it could not copy.

Notes are records of the topic `<prefix>.replay`, a JSON object each, written in the replay's own transactions. Several
replays may have tried the same destination: each note carries the name of its own. No role reads them.
"""

from collections.abc import Sequence

import msgspec

from trajlog.schemas import NewRecord
from trajlog.stream.archive_read import read_until
from trajlog.stream.log import Log


class ReplayBegun(msgspec.Struct, frozen=True, kw_only=True, tag="begun"):
    """The first note of a replay."""

    replay: str
    source: str
    """For people: what was read (recorded.Recorded.name)."""
    words: tuple[str, ...]
    """The `--from` that was given; none: everything held."""
    starts: dict[str, int]
    """What that meant then: first offset of every partition, by recorded.partition_name."""

    def __str__(self) -> str:
        return " --from ".join([f"the replay of {self.source}", *self.words])


class RecordLeftOut(msgspec.Struct, frozen=True, kw_only=True, tag="left_out"):
    """A record that could not be made again (recorded.LeftOut), noted with the offsets that pass it."""

    replay: str
    partition: str
    """By recorded.partition_name, of the source."""
    offset: int
    group_id: str
    why: str

    def __str__(self) -> str:
        return f"group {self.group_id}, {self.partition} offset {self.offset}: {self.why}"


Note = ReplayBegun | RecordLeftOut


def notes_topic(prefix: str) -> str:
    """Topic of the notes, of one partition."""
    return f"{prefix}.replay"


def to_records(notes: Sequence[Note]) -> list[NewRecord]:
    """As they are appended."""
    return [NewRecord(note.replay.encode(), (), msgspec.json.encode(note)) for note in notes]


def read_notes(log: Log, prefix: str) -> list[Note]:
    """All notes of a run in a log, oldest first; [] when there is no such topic."""
    topic = notes_topic(prefix)
    if topic not in log.topics():
        return []
    with log.reader([topic], "beginning") as reader:
        found = read_until(reader, log.end_offsets(topic))
        return [msgspec.json.decode(record.value, type=Note) for records in found for record in records]


def copy_of(log: Log, prefix: str) -> str | None:
    """What a run was copied from into this log, in words; None when it was recorded here."""
    begun = [note.source for note in read_notes(log, prefix) if isinstance(note, ReplayBegun)]
    return begun[-1] if begun else None
