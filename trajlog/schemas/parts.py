"""Records larger than the log accepts: split into parts by the encoder, joined again by readers.

All parts of a record have its key, hence one partition and rising offsets; other records may lie between them. The
last part carries the record's num_events, the others 0, so that every offset still says how many events end there.
A reader may not move its durable position past the first part of a record it has not seen whole: `low_water`.
"""

from collections.abc import Hashable
from datetime import datetime, timedelta

import msgspec

from trajlog.errors import DecodeError
from trajlog.schemas.record import Headers, NewRecord

PART_BYTES = 16 * 1024 * 1024
"""Largest value of one record; half of what topics and fetches allow."""

ABANDON_AFTER = timedelta(minutes=10)
"""A record whose parts are not all there after this much append time will never be whole: its producer died."""


def split(record: NewRecord, part_id: str, part_bytes: int) -> list[NewRecord]:
    """`record` alone when it fits, else its parts."""
    if len(record.value) <= part_bytes:
        return [record]
    chunks = [record.value[i : i + part_bytes] for i in range(0, len(record.value), part_bytes)]
    parts = []
    for index, chunk in enumerate(chunks):
        last = index == len(chunks) - 1
        headers = tuple((k, v if last or k != "num_events" else "0") for k, v in record.headers)
        marks = (("part_id", part_id), ("part", str(index)), ("num_parts", str(len(chunks))))
        parts.append(NewRecord(key=record.key, headers=headers + marks, value=chunk))
    return parts


class _Open(msgspec.Struct):
    first_offset: int
    first_time: datetime
    chunks: list[bytes]


class Joiner:
    """Joins parts per partition. Feed it every record in offset order; it returns the values that are whole."""

    def __init__(self) -> None:
        self._open: dict[tuple[Hashable, str], _Open] = {}

    def add(
        self, partition: Hashable, offset: int, append_time: datetime, headers: Headers, value: bytes
    ) -> bytes | None:
        """The whole value when this record completes one (at once for a record that was never split), else None.

        Raises DecodeError for a part that does not follow the part before it (its beginning was lost).
        """
        found = dict(headers)
        part_id = found.get("part_id")
        if part_id is None:
            return value
        key = (partition, part_id)
        try:
            part, num_parts = int(found["part"]), int(found["num_parts"])
            if found["part"] != str(part):
                raise ValueError(f"part {found['part']!r}")
        except (KeyError, ValueError) as error:
            self._open.pop(key, None)
            raise DecodeError(f"headers {found} lack a usable part or num_parts: {error!r}") from None
        if part == 0:  # again when its producer tried again, or its reader went back
            self._open[key] = _Open(offset, append_time, [])
        entry = self._open.get(key)
        if entry is None or len(entry.chunks) != part:
            self._open.pop(key, None)
            raise DecodeError(f"part {part} of {num_parts} of record {part_id} does not follow part {part - 1}")
        entry.chunks.append(value)
        if len(entry.chunks) < num_parts:
            return None
        del self._open[key]
        return b"".join(entry.chunks)

    @property
    def num_bytes(self) -> int:
        """Held in parts."""
        return sum(len(chunk) for entry in self._open.values() for chunk in entry.chunks)

    def low_water(self, partition: Hashable) -> int | None:
        """Offset of the first part of the oldest record still incomplete in `partition`; None when there is none."""
        return min((o.first_offset for (p, _), o in self._open.items() if p == partition), default=None)

    def abandon(self, partition: Hashable, now: datetime) -> list[int]:
        """Give up records incomplete for ABANDON_AFTER of append time; returns their first offsets."""
        gone = [k for k, o in self._open.items() if k[0] == partition and now - o.first_time > ABANDON_AFTER]
        return [self._open.pop(key).first_offset for key in gone]
