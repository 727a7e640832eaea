"""Going on after a loss: retention dropped records of `.rollouts` before the assembler had folded them.

The assembler stops at such a hole (OffsetExpired) and never skips by itself. A person may accept it. A group that was
open by then may have had events in the hole: what is left of it is not what happened, so it is rejected (expired, with
`lost_offsets` among its numbers). Its episodes end as those of any group that closed without them: late when their end
is read, else abandoned by the scheduler.

Durable steps, one transaction of the log: 1 a group_verdict per such group; 2 the assembler's committed offsets, at the
first ones held.
"""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from trajlog.config import RunConfig
from trajlog.errors import LogError, LogUnavailable
from trajlog.schemas import EpisodeAssigned, Event, GroupVerdict, Producer, encode
from trajlog.stream.archive_read import read_until
from trajlog.stream.control import ControlFollower
from trajlog.stream.log import Log, TopicPartition, partition_of

SKEW = timedelta(seconds=10)
"""How far the clocks of a log's brokers may be apart: append times of two partitions are compared."""

JOIN_S = 60.0
"""Longest that the assembler's group may take to let this member in; one that was killed is waited for 10 s."""


class Accepted(NamedTuple):
    """What was given up."""

    offsets: dict[TopicPartition, range]
    groups: tuple[str, ...]
    """Rejected by it."""


class _OpenGroup(NamedTuple):
    assigned: datetime
    """When its first episode was."""
    task_id: str


def accept_assembler_loss(log: Log, config: RunConfig) -> Accepted:
    """Let the assembler go on behind offsets that the log dropped before they were folded.

    Raises LogError while an assembler is alive: nothing is written then.
    """
    rollouts = config.topic("rollouts")
    begins, committed = log.begin_offsets(rollouts), log.committed(f"{config.log.prefix}.assembler", [rollouts])
    lost = {tp: range(committed.get(tp, 0), begin) for tp, begin in begins.items() if committed.get(tp, 0) < begin}
    if not lost:
        return Accepted({}, ())
    behind = {tp: _first_append_time(log, tp, offsets.stop) for tp, offsets in lost.items()}
    open_groups, now = _open_groups(log, config)
    verdicts: list[Event] = []
    producer = Producer("assembler")
    for group_id, found in open_groups.items():
        tp = TopicPartition(rollouts, partition_of(group_id.encode(), len(begins)))
        held_from = behind.get(tp)
        if tp not in lost or (held_from is not None and found.assigned > held_from + SKEW):
            continue  # all of its events came later
        verdicts.append(
            GroupVerdict(
                **producer.stamp(config.run_id, group_id=group_id),
                verdict="rejected",
                reason="expired",
                task_id=found.task_id,
                group_partition=tp.partition,
                logical_time=now,
                offsets={f"{rollouts}-{tp.partition}": lost[tp].stop},
                numbers={"lost_offsets": float(len(lost[tp]))},
            )
        )
    _write(log, config, verdicts, {tp: offsets.stop for tp, offsets in lost.items()})
    return Accepted(lost, tuple(str(verdict.group_id) for verdict in verdicts))


def _write(log: Log, config: RunConfig, verdicts: Sequence[Event], offsets: Mapping[TopicPartition, int]) -> None:
    """As the one member of the assembler's group: whoever comes meanwhile is fenced off, or fences this off."""
    rollouts, group = config.topic("rollouts"), f"{config.log.prefix}.assembler"
    ends = log.end_offsets(rollouts)
    try:
        with log.group_reader([rollouts], group, lambda tps: {tp: ends[tp] for tp in tps}) as member:
            deadline = time.monotonic() + JOIN_S
            while not member.assignment() and time.monotonic() < deadline:
                member.poll(0.2)
            if member.assignment() != ends.keys():
                raise LogError(f"group {group} has another member, or had one seconds ago")
            with log.transaction(member) as transaction:
                transaction.append(config.topic("control"), encode(verdicts))
                transaction.commit_offsets(group, offsets)
    except LogUnavailable:
        raise
    except LogError as error:
        raise LogError(f"nothing was given up: stop every assembler of this run, then try again ({error})") from error


def _first_append_time(log: Log, tp: TopicPartition, begin: int) -> datetime | None:
    """Append time of the first record held; None where none is."""
    ends = log.end_offsets(tp.topic)
    elsewhere = {other: end for other, end in ends.items() if other != tp}
    with log.reader([tp.topic], elsewhere | {tp: begin}) as reader:
        reader.pause(elsewhere)
        return next((record.append_time for records in read_until(reader, ends) for record in records), None)


def _open_groups(log: Log, config: RunConfig) -> tuple[dict[str, _OpenGroup], datetime]:
    """Groups that were assigned and have no verdict, by id; and the append time of the end of `.control`."""
    found: dict[str, _OpenGroup] = {}
    judged: set[str] = set()
    now = datetime.min
    kinds = {EpisodeAssigned.kind, GroupVerdict.kind}
    with ControlFollower(log, config.topic("control"), kinds, run_id=config.run_id) as control:
        for record, event in control.catch_up(open_too=True):
            now = record.append_time
            if isinstance(event, EpisodeAssigned):
                found.setdefault(str(event.group_id), _OpenGroup(record.append_time, event.task_id))
            elif isinstance(event, GroupVerdict):
                judged.add(str(event.group_id))
    return {group_id: group for group_id, group in found.items() if group_id not in judged}, now
