"""What must hold of a run whatever was done to it: the log, the archive and the producers' journals compared.

    report = check_run(log, config, run_dir, journals=[...], num_worker_kills=3, num_slots=2)
    assert report.ok, report

Stop the roles first: workers, then (once every finished episode is judged) scheduler, assembler and learner, then the
archiver, which drains. The folds here are written anew, beside the product's: one cannot hide the other's fault.

A journal is what the log acknowledged, by those who appended: `<topic> <event_id>` a line, on disk after `append`
returned (`Journal`; `acknowledging` lets every append of a process do it).
"""

import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from deltalake import DeltaTable

from trajlog.config import RunConfig
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeFinished,
    EpisodeVerdict,
    Event,
    Generation,
    GroupSealed,
    GroupVerdict,
    LearnerStarted,
    NewRecord,
    PolicyPublished,
    SchedulerStarted,
    TrainStep,
)
from trajlog.stream.archive_read import read_until
from trajlog.stream.archiver import archive_location
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import Log, LogRecord, TopicPartition
from trajlog.stream.verify import verify


class Report(msgspec.Struct, kw_only=True):
    """`faults` say what is broken; the numbers are for tables."""

    faults: list[str] = []
    archive: str = ""
    """The words of `trajlog archive verify`."""
    records: int = 0
    undecodable: int = 0
    episodes: int = 0
    """Assigned."""
    finished: int = 0
    abandoned: int = 0
    """Episodes whose counting verdict it is."""
    in_flight: int = 0
    """Assigned, neither judged nor finished."""
    groups_sealed: int = 0
    groups_rejected: int = 0
    groups_open: int = 0
    """With events and without a verdict."""
    groups_trained: int = 0
    groups_refused: int = 0
    """Rejected by surviving train_steps."""
    groups_queued: list[str] = []
    """Sealed, and behind all that the learner has consumed of their partition."""
    train_steps: int = 0
    """That trained and survive."""
    undone_steps: int = 0
    """train_steps that a learner with an older checkpoint started behind."""
    acknowledged: int = 0
    acknowledged_lost: int = 0
    trained_twice: int = 0
    skipped: int = 0
    duplicate_verdicts: int = 0
    """Of one writer's role for one group or episode."""
    races: int = 0
    """Episodes that both scheduler and assembler judged."""
    unheeded: int = 0
    """Control events of replaced epochs."""
    repeated_events: int = 0
    """Events of episodes that are in the log again, by (episode, seq)."""
    abandoned_generation_s: float = 0.0
    """Sampling seconds of abandoned episodes."""
    in_flight_generation_s: float = 0.0
    generation_s: float = 0.0
    """Of all episodes."""
    abandoned_allowed: int = 0
    """Kills of workers times slots."""

    @property
    def ok(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        numbers = {k: v for k, v in msgspec.to_builtins(self).items() if k not in ("faults", "archive")}
        lines = [*(f"FAULT {fault}" for fault in self.faults), *(f"{k}: {v}" for k, v in numbers.items())]
        return "\n".join([*lines, self.archive])


class Journal:
    """Ids of acknowledged events, one line each, synced before `add` returns. One process per file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)  # open as long as the process

    def add(self, topic: str, events: Sequence[Event]) -> None:
        os.write(self._file, "".join(f"{topic} {event.event_id}\n" for event in events).encode())
        os.fsync(self._file)


def read_journal(path: Path) -> Iterator[tuple[str, str]]:
    """(topic, event id) of every whole line: a writer that was killed may have left half of one."""
    for line in path.read_bytes().split(b"\n")[:-1]:
        topic, _, event_id = line.decode().partition(" ")
        yield topic, event_id


def acknowledging(kind: type, journal: Journal) -> None:
    """Let the appends and transactions of a Log class write `journal` once they have returned. `.liveness` is left out:
    its records are dropped when they are old."""
    append, transaction = kind.append, kind.transaction

    def note(topic: str, records: Sequence[NewRecord]) -> None:
        if not topic.endswith((".liveness", ".engines")):
            journal.add(topic, _events(topic, records))

    def noting_append(self: Any, topic: str, records: Sequence[NewRecord]) -> None:
        append(self, topic, records)
        note(topic, records)

    @contextmanager
    def noting_transaction(self: Any, reader: Any = None) -> Iterator[Any]:
        with transaction(self, reader) as pending:
            yield pending
        for topic, records in pending.batches:
            note(topic, records)

    kind.append, kind.transaction = noting_append, noting_transaction  # type: ignore[attr-defined]


def _events(topic: str, records: Sequence[NewRecord]) -> list[Event]:
    decoder, now = Decoder(), datetime.now(UTC)
    read = [LogRecord(topic, 0, i, now, r.key, r.headers, r.value) for i, r in enumerate(records)]
    return [event for record in read for event in decoder.events(record)]


class _Found(msgspec.Struct, frozen=True):
    tp: TopicPartition
    offset: int
    event: Event


def read_events(log: Log, topic: str, run_id: str | None = None) -> tuple[list[_Found], int, int]:
    """All events of a topic in offset order per partition; how many records there are, and how many cannot be read."""
    decoder, found, count = Decoder(run_id), [], 0
    with log.reader([topic], "beginning") as reader:
        for records in read_until(reader, log.end_offsets(topic)):
            for record in records:
                count += 1
                tp = TopicPartition(record.topic, record.partition)
                found += [_Found(tp, record.offset, event) for event in decoder.events(record)]
    return found, count, decoder.num_bad


def check_run(
    log: Log,
    config: RunConfig,
    run_dir: Path,
    *,
    journals: Sequence[Path] = (),
    num_worker_kills: int = 0,
    num_slots: int = 0,
) -> Report:
    """Everything above, of a run whose roles have stopped. `num_slots` are those of each killed worker."""
    report = Report(abandoned_allowed=num_worker_kills * num_slots)
    topics = {}
    for name in ("rollouts", "groups", "control"):
        topics[name], count, bad = read_events(log, config.topic(name), config.run_id)
        report.records += count
        report.undecodable += bad
    _check_archive(report, log, config, run_dir)
    _check_archived_events(report, log, config, run_dir, topics)
    _check_journals(report, topics, config, journals)
    control = list(_counting(report, [found.event for found in topics["control"]]))
    _check_verdicts(report, topics, control)
    _check_training(report, topics["groups"], control)
    return report


def _fault(report: Report, broken: object, what: str) -> None:
    if broken:
        shown = str(broken)
        report.faults.append(f"{what}: {shown if len(shown) < 600 else shown[:600] + ' ...'}")


def _check_archive(report: Report, log: Log, config: RunConfig, run_dir: Path) -> None:
    proof = verify(log, config, run_dir)
    report.archive = str(proof)
    if not proof.ok:
        report.faults.append("the archive does not have every record of the log exactly once (see its report below)")


def _check_archived_events(
    report: Report, log: Log, config: RunConfig, run_dir: Path, topics: dict[str, list[_Found]]
) -> None:
    """The events of this run that the log still holds, against the table's rows as deltalake reads them."""
    columns = ["topic", "partition", "offset", "event_id", "run_id"]
    rows = DeltaTable(str(archive_location(run_dir))).to_pyarrow_table(columns=columns).to_pylist()
    begins = {tp: offset for name in topics for tp, offset in log.begin_offsets(config.topic(name)).items()}  # type: ignore[arg-type]
    archived = Counter(
        (row["topic"], row["partition"], row["offset"], row["event_id"])
        for row in rows
        if row["run_id"] == config.run_id and row["offset"] >= begins[TopicPartition(row["topic"], row["partition"])]
    )
    logged = Counter((*found.tp, found.offset, found.event.event_id) for name in topics for found in topics[name])
    _fault(report, sorted(logged - archived), "events of the log that the archive lacks")
    _fault(report, sorted(archived - logged), "rows of the archive that are not in the log, or there twice")


def _check_journals(
    report: Report, topics: dict[str, list[_Found]], config: RunConfig, journals: Sequence[Path]
) -> None:
    there = {(config.topic(name), found.event.event_id) for name in topics for found in topics[name]}  # type: ignore[arg-type]
    acknowledged = {entry for path in journals for entry in read_journal(path)}
    lost = sorted(acknowledged - there)
    report.acknowledged, report.acknowledged_lost = len(acknowledged), len(lost)
    _fault(report, lost, f"{len(lost)} acknowledged events are not in the log")


def _counting(report: Report, events: Sequence[Event]) -> Iterator[Event]:
    """Control events without those of replaced epochs (docs/delivery.md)."""
    scheduler = learner = -1
    for event in events:
        match event:
            case SchedulerStarted(epoch=epoch):
                counts = epoch > scheduler
                scheduler = max(scheduler, epoch)
            case LearnerStarted(epoch=epoch):
                counts = epoch > learner
                learner = max(learner, epoch)
            case EpisodeAssigned(epoch=epoch):
                counts = epoch >= scheduler
            case EpisodeVerdict(epoch=int(epoch)):
                counts = epoch >= scheduler
            case TrainStep(epoch=epoch) | PolicyPublished(epoch=epoch):
                counts = epoch >= learner
            case _:
                counts = True
        report.unheeded += not counts
        if counts:
            yield event


def _check_verdicts(report: Report, topics: dict[str, list[_Found]], control: Sequence[Event]) -> None:
    episodes: dict[str, list[EpisodeVerdict]] = defaultdict(list)
    groups: dict[str, list[GroupVerdict]] = defaultdict(list)
    assigned: set[str] = set()
    for event in control:
        match event:
            case EpisodeVerdict(episode_id=str(name)):
                episodes[name].append(event)
            case GroupVerdict(group_id=str(name)):
                groups[name].append(event)
            case EpisodeAssigned(episode_id=str(name)):
                assigned.add(name)
    sealed = Counter(found.event.group_id for found in topics["groups"] if isinstance(found.event, GroupSealed))
    writers = {
        name: Counter(_role(event.producer) for event in verdicts) for name, verdicts in {**episodes, **groups}.items()
    }
    twice = {name: dict(roles) for name, roles in writers.items() if max(roles.values()) > 1}
    report.duplicate_verdicts = len(twice)
    _fault(report, twice, f"{len(twice)} groups or episodes were judged twice by one role (id: verdicts per role)")
    wrong = {name: dict(roles) for name, roles in writers.items() if name in groups and set(roles) != {"assembler"}}
    _fault(report, wrong, "groups judged by another than the assembler")
    report.races = sum(len(writers[name]) > 1 for name in episodes)
    beside = {n: [e.verdict for e in v] for n, v in episodes.items() if any(_misplaced(e) for e in v)}
    _fault(report, beside, "episode verdicts by a role that does not give them")
    _fault(report, {n: c for n, c in sealed.items() if c > 1}, "groups sealed twice")
    judged_sealed = {name for name, verdicts in groups.items() if verdicts[0].verdict == "sealed"}
    _fault(report, sorted(judged_sealed ^ set(sealed)), "groups with a sealed verdict and no record, or the reverse")

    seen: dict[str, Counter[int]] = defaultdict(Counter)
    group_of, finished = {}, set()
    seconds: Counter[str] = Counter()
    for found in topics["rollouts"]:
        event = found.event
        if event.episode_id is None or event.seq is None:
            continue
        seen[event.episode_id][event.seq] += 1
        group_of[event.episode_id] = event.group_id
        if isinstance(event, EpisodeFinished):
            finished.add(event.episode_id)
        if isinstance(event, Generation) and seen[event.episode_id][event.seq] == 1:
            seconds[event.episode_id] += event.latency_s  # type: ignore[assignment]
    report.repeated_events = sum(times - 1 for seqs in seen.values() for times in seqs.values())
    holes = sorted(name for name, seqs in seen.items() if max(seqs) + 1 != len(seqs))
    _fault(report, holes, "episodes that lack an event before their last one")
    unjudged = sorted(name for name in finished if name not in episodes and group_of[name] in groups)
    _fault(report, unjudged, "finished episodes of judged groups without a verdict")

    first = {name: verdicts[0].verdict for name, verdicts in episodes.items()}
    abandoned = [name for name, verdict in first.items() if verdict == "abandoned"]
    in_flight = [name for name in assigned if name not in first and name not in finished]
    report.episodes, report.finished = len(assigned | set(seen)), len(finished)
    report.abandoned, report.in_flight = len(abandoned), len(in_flight)
    report.abandoned_generation_s = round(sum(seconds[name] for name in abandoned), 3)
    report.in_flight_generation_s = round(sum(seconds[name] for name in in_flight), 3)
    report.generation_s = round(sum(seconds.values()), 3)
    if len(abandoned) > report.abandoned_allowed:
        allowed = report.abandoned_allowed
        _fault(report, sorted(abandoned), f"{len(abandoned)} episodes abandoned, {allowed} slots of killed workers")
    report.groups_sealed, report.groups_rejected = len(judged_sealed), len(groups) - len(judged_sealed)
    report.groups_open = len({str(group) for group in group_of.values()} - set(groups))


def _role(producer: str) -> str:
    return producer.partition("/")[0].partition("-")[0]


def _misplaced(event: EpisodeVerdict) -> bool:
    return (event.verdict == "abandoned") != (_role(event.producer) == "scheduler")


def _check_training(report: Report, sealed: Sequence[_Found], control: Sequence[Event]) -> None:
    steps: list[TrainStep] = []
    adapters: dict[int, set[str]] = defaultdict(set)
    for event in control:
        match event:
            case LearnerStarted():
                report.undone_steps += sum(step.step > event.step for step in steps)
                steps = [step for step in steps if step.step <= event.step]
            case TrainStep():
                steps.append(event)
            case PolicyPublished():
                adapters[event.policy_version].add(event.sha256)
    trained = Counter(name for step in steps for name in step.groups_trained)
    refused = Counter(rejected.group_id for step in steps for rejected in step.groups_rejected)
    consumed = trained + refused
    records = {found.event.group_id: found for found in reversed(sealed) if isinstance(found.event, GroupSealed)}
    report.groups_trained, report.groups_refused = len(trained), len(refused)
    twice = sorted(name for name, times in trained.items() if times > 1)
    report.trained_twice = sum(len(records[name].event.members) for name in twice)  # type: ignore[attr-defined]
    _fault(report, twice, "groups in more than one surviving train_step")
    _fault(report, sorted(n for n, c in consumed.items() if c > trained[n] > 0), "groups both trained and rejected")
    _fault(report, sorted(n for n, c in refused.items() if c > 1), "groups rejected twice")
    _fault(report, sorted(n for n in consumed if n not in records), "consumed groups that no record has")

    skipped, last = [], {found.tp: found.offset for found in sealed if consumed[str(found.event.group_id)]}
    for found in records.values():
        if not consumed[str(found.event.group_id)]:
            behind = found.offset > last.get(found.tp, -1)
            (report.groups_queued if behind else skipped).append(str(found.event.group_id))
    report.skipped = len(skipped)
    _fault(report, sorted(skipped), "sealed groups that were passed over")
    if steps:
        stands = steps[-1].offsets
        past = [
            name
            for name in report.groups_queued
            if records[name].offset < stands.get(f"{records[name].tp.topic}-{records[name].tp.partition}", 0)
        ]
        _fault(report, past, "queued groups that the offsets of the last train_step pass over")
    optimizer = [step for step in steps if step.groups_trained]
    report.train_steps = len(optimizer)
    numbers = [step.step for step in optimizer]
    _fault(report, numbers if numbers != list(range(1, len(numbers) + 1)) else (), "surviving steps are not 1, 2, ...")
    tokens = {name: found.event.tokens_sha256 for name, found in records.items()}  # type: ignore[attr-defined]
    wrong = [step.step for step in optimizer if step.batch_sha256 != _digest(step.groups_trained, tokens)]
    _fault(report, wrong, "steps whose batch_sha256 is not that of their groups")
    _fault(report, sorted(v for v, digests in adapters.items() if len(digests) > 1), "versions with two adapters")


def _digest(groups: Sequence[str], tokens: Mapping[str | None, str]) -> str:
    return hashlib.sha256(b"".join(bytes.fromhex(tokens.get(name, "")) for name in groups)).hexdigest()
