"""What a run has recorded, read again in order: from its log here, from its archive in archive_records.py.

Both give log records. Partitions are merged by append time, so that what was appended earlier comes earlier; within a
partition the order is the offsets'. Replays are written against `Recorded` and do not see which one it is.
"""

import heapq
import time
from collections import deque
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from typing import NamedTuple, Protocol

from trajlog.config import RunConfig, config_from_json
from trajlog.errors import ConfigError, LogUnavailable
from trajlog.schemas import GroupSealed, RunStarted
from trajlog.stream.archive_read import STALL_S
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import Log, LogRecord, TopicPartition
from trajlog.stream.replay_notes import copy_of

MAX_WAITING = 2000
"""Records of one partition that wait for older ones of others."""


class LeftOut(NamedTuple):
    """A record that could not be made again: a sealed group's, or one with rows that are no events."""

    tp: TopicPartition
    offset: int
    group_id: str
    why: str


class Recorded(Protocol):
    """A run's records as they were appended. `.liveness` and `.engines` are not among them: they are not archived, nor
    of use later."""

    name: str
    """For people: where it is read from."""
    copy_of: str | None
    """For people: what it was copied from by `replay events`, as far as is known. Append times are those of the copying
    then, and offsets inside events are of other records. None: it is what the run's roles wrote."""

    @property
    def identity(self) -> str:
        """Of the log in which the records were appended (Log.identity)."""

    def spans(self) -> dict[TopicPartition, range]:
        """First offset held and next offset, of every partition of `.rollouts`, `.groups` and `.control`."""

    def offsets_at(self, time: datetime) -> dict[TopicPartition, int]:
        """First offset appended at or after a time, else the next offset, per partition."""

    def records(self, starts: Mapping[TopicPartition, int]) -> Generator[LogRecord, None, None]:
        """Records of the partitions in `starts` from there up to `spans`, by append time. Close the iterator."""

    @property
    def left_out(self) -> Sequence[LeftOut]:
        """What `records` has passed so far because it could not be made again; twice when it passed it twice."""

    def sealed_groups(
        self, group_ids: Collection[str], starts: Mapping[TopicPartition, int]
    ) -> tuple[dict[str, GroupSealed], dict[str, str]]:
        """The first group_sealed of each of these groups, none of which lay before `starts` in the log that the roles
        wrote; and, of those that are there but not whole any more, why."""


def topics_of(prefix: str) -> list[str]:
    """Topics of a run that are replayed."""
    return [f"{prefix}.{name}" for name in ("rollouts", "groups", "control")]


class RecordedLog:
    """The records that a log holds now. Raises LogError when it has no such run."""

    def __init__(self, log: Log, prefix: str) -> None:
        self.name = f"the log {log.url}"
        self.copy_of = copy_of(log, prefix)
        self.left_out: Sequence[LeftOut] = ()
        self._log = log
        self._topics = topics_of(prefix)
        ends = {tp: end for topic in self._topics for tp, end in log.end_offsets(topic).items()}
        self._spans = {
            tp: range(begin, max(begin, ends[tp]))
            for topic in self._topics
            for tp, begin in log.begin_offsets(topic).items()
        }

    @property
    def identity(self) -> str:
        return self._log.identity

    def spans(self) -> dict[TopicPartition, range]:
        return dict(self._spans)

    def offsets_at(self, time: datetime) -> dict[TopicPartition, int]:
        with self._log.reader(self._topics, time) as reader:
            found = {tp: reader.position(tp) for tp in self._spans}
        return {tp: min(offset, self._spans[tp].stop) for tp, offset in found.items()}

    def records(self, starts: Mapping[TopicPartition, int]) -> Generator[LogRecord, None, None]:
        """Raises OffsetExpired when retention passed a start, LogUnavailable when reading makes no progress."""
        ends = {tp: self._spans[tp].stop for tp, start in starts.items() if start < self._spans[tp].stop}
        if not ends:
            return
        topics = sorted({tp.topic for tp in ends})
        elsewhere = {tp: span.stop for tp, span in self._spans.items() if tp.topic in topics and tp not in ends}
        waiting: dict[TopicPartition, deque[LogRecord]] = {tp: deque() for tp in ends}
        unread = set(ends)
        heads: list[tuple[datetime, TopicPartition]] = []
        deadline = time.monotonic() + STALL_S
        with self._log.reader(topics, elsewhere | {tp: starts[tp] for tp in ends}) as reader:
            reader.pause(elsewhere)
            while unread or heads:
                if lacking := [tp for tp in unread if not waiting[tp]]:
                    full = [tp for tp, records in waiting.items() if len(records) >= MAX_WAITING or tp not in unread]
                    reader.pause(full)
                    reader.resume(waiting.keys() - set(full))
                    for record in reader.poll(0.2):
                        deadline = time.monotonic() + STALL_S
                        tp = TopicPartition(record.topic, record.partition)
                        if tp in ends and record.offset < ends[tp]:
                            if not waiting[tp]:
                                heapq.heappush(heads, (record.append_time, tp))
                            waiting[tp].append(record)
                    unread -= {tp for tp in lacking if reader.position(tp) >= ends[tp]}
                    if time.monotonic() > deadline:
                        raise LogUnavailable(
                            f"reading {lacking[0].topic}/{lacking[0].partition} of {self._log.url} stands for "
                            f"{STALL_S:.0f} s before its end. Check the broker's health and try again."
                        )
                    continue
                _, tp = heapq.heappop(heads)
                yield waiting[tp].popleft()
                deadline = time.monotonic() + STALL_S
                if waiting[tp]:
                    heapq.heappush(heads, (waiting[tp][0].append_time, tp))
                elif tp in unread and reader.position(tp) >= ends[tp]:
                    unread.discard(tp)

    def sealed_groups(
        self, group_ids: Collection[str], starts: Mapping[TopicPartition, int]
    ) -> tuple[dict[str, GroupSealed], dict[str, str]]:
        found: dict[str, GroupSealed] = {}
        decoder = Decoder()
        if self.copy_of is not None:
            starts = {}
        begins = {tp: max(starts.get(tp, 0), span.start) for tp, span in self._spans.items()}
        with closing(self.records({tp: at for tp, at in begins.items() if tp.topic.endswith(".groups")})) as records:
            for record in records:
                for event in decoder.events(record):
                    if isinstance(event, GroupSealed) and event.group_id in group_ids:
                        found.setdefault(str(event.group_id), event)
                if len(found) == len(group_ids):
                    break
        return found, {}


def recorded_config(recorded: Recorded) -> RunConfig:
    """Settings of the run, from its first run_started. Raises ConfigError when that is not among the records."""
    return config_from_json(recorded_start(recorded)[1].config)


def recorded_start(recorded: Recorded) -> tuple[LogRecord, RunStarted]:
    """The run_started record that counts: the first. Raises ConfigError when it is not among the records."""
    starts = {tp: span.start for tp, span in recorded.spans().items() if tp.topic.endswith(".control")}
    decoder = Decoder()
    with closing(recorded.records(starts)) as records:
        for record in records:
            if record.header("kind") == RunStarted.kind:
                for event in decoder.events(record):
                    if isinstance(event, RunStarted):
                        return record, event
    raise ConfigError(
        f"{recorded.name} has no run_started any more, so its run's settings are unknown. Use the run's archive "
        f"(--run-dir DIR --archive), which keeps every record."
    )


def whole_control(sources: Sequence[Recorded]) -> Recorded:
    """The first source that has `.control` from its beginning. Raises ConfigError when none has."""
    for source in sources:
        if any(tp.topic.endswith(".control") and span.start == 0 and span for tp, span in source.spans().items()):
            return source
    raise ConfigError(
        f"{' and '.join(source.name for source in sources)}: the beginning of .control is not there, so what counts is "
        f"not known. Name the run directory of an archive with --run-dir."
    )


def partition_name(tp: TopicPartition) -> str:
    """`<topic>-<partition>`, as in events."""
    return f"{tp.topic}-{tp.partition}"
