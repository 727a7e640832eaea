"""Live events as lines: readable for people, JSON for machines."""

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeFinished,
    EpisodeStarted,
    EpisodeVerdict,
    Event,
    Generation,
    GroupSealed,
    GroupVerdict,
    Heartbeat,
    Observation,
    PolicyAcknowledged,
    PolicyPublished,
    ToolCall,
    TrainStep,
)
from trajlog.stream.control import Stop, wait_for_run
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import Log, LogRecord, TopicPartition

TEXT_WIDTH = 160
"""Characters shown of a text."""
LINE_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""What JSON leaves as it is, though some readers end a line there."""


def tail_events(
    log: Log,
    prefix: str | None,
    stop: Stop,
    *,
    follow: bool,
    last: int,
    as_json: bool,
    kinds: Collection[str] | None = None,
    episode: str | None = None,
) -> Iterator[str]:
    """Lines of the run's events in append order, from `last` records before the end of each partition.

    Ends at the end of the log as it was at the start, or with `follow` when `stop` is set.
    """
    config = wait_for_run(log, prefix, timeout_s=0 if not follow else 60.0, stop=stop)
    topics = [config.topic(name) for name in ("rollouts", "groups", "control")]
    ends = {tp: end for topic in topics for tp, end in log.end_offsets(topic).items()}
    begins = {tp: begin for topic in topics for tp, begin in log.begin_offsets(topic).items()}
    start = {tp: max(begins[tp], end - last) for tp, end in ends.items()}
    decoder = Decoder()
    with log.reader(topics, start) as reader:
        while not stop.is_set():
            records = sorted(reader.poll(0.25), key=lambda r: (r.append_time, r.topic, r.partition, r.offset))
            for record in records:
                past_end = record.offset >= ends[TopicPartition(record.topic, record.partition)]
                if not follow and past_end:
                    continue
                for event in decoder.events(record):
                    if (not kinds or event.kind in kinds) and episode in (None, event.episode_id):
                        yield as_object(record, event) if as_json else as_line(record, event)
            if not follow and all(reader.position(tp) >= end for tp, end in ends.items()):
                return


def as_object(record: LogRecord, event: Event) -> str:
    """One JSON object on one line: kind, position, append time, and the event's fields (bytes as base64)."""
    fields: dict[str, Any] = {
        "kind": event.kind,
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "append_time": record.append_time,
    }
    return msgspec.json.encode(fields | msgspec.structs.asdict(event)).decode().translate(LINE_BREAKS)


def as_line(record: LogRecord, event: Event) -> str:
    """Time, kind, episode (its last characters) and what happened, on one line.

    What a model or a program printed may hold control characters; a terminal gets U+FFFD for each.
    """
    short = (event.episode_id or event.group_id or "")[-6:]
    line = f"{record.append_time:%H:%M:%S} {event.kind:19} {short:6} {_said(event)}"
    return "".join(character if character.isprintable() else "\ufffd" for character in line)


def _said(event: Event) -> str:
    match event:
        case EpisodeStarted():
            return f"{event.task_id} attempt {event.attempt}, policy {event.policy_version}"
        case Generation():
            versions = ",".join(str(run.policy_version) for run in event.policy_versions)
            return f"turn {event.turn} policy {versions}, {len(event.token_ids)} tokens: {_shown(event.text)}"
        case ToolCall():
            bad = f"  NOT RUN: {_shown(event.parse_error)}" if event.parse_error else ""
            return f"turn {event.turn} {event.name or '?'}({_shown(event.arguments)}){bad}"
        case Observation():
            mark = "error: " if event.is_error else ""
            return f"turn {event.turn} {event.duration_s:.1f} s {mark}{_shown(event.content)}"
        case EpisodeFinished():
            reward = "none" if event.reward is None else f"{event.reward:+.2f}"
            why = event.guard or _shown(event.error or "")
            return f"{event.task_id} {event.outcome} {why} reward {reward}, {event.num_turns} turns"
        case EpisodeAssigned():
            return f"{event.task_id} attempt {event.attempt} to {event.worker}"
        case EpisodeVerdict():
            return f"{event.task_id} {event.verdict}"
        case GroupSealed():
            return f"{event.task_id} {len(event.members)} members, {event.sealed_because}"
        case GroupVerdict():
            return f"{event.task_id} {event.verdict}: {event.reason}"
        case TrainStep():
            return f"step {event.step} policy {event.policy_version}, {len(event.groups_trained)} groups trained"
        case PolicyPublished():
            return f"policy {event.policy_version} at {event.uri}"
        case PolicyAcknowledged():
            return f"policy {event.policy_version} served by {event.endpoint}"
        case Heartbeat():
            return f"{event.role} {event.producer}: {len(event.running)} of {event.num_slots} slots busy"
    return event.producer


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= TEXT_WIDTH else f"{flat[: TEXT_WIDTH - 1]}…"
