"""Whatever bytes a record holds, every fold goes on: no exception, no event of a record applied without the others."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chaos.poison import RUINS, parts, poisoned, ruined_row, with_header
from tests.schemas.events import example
from tests.stream.stream_events import RUN, START, episode, finished, generation, started
from trajlog.analytics.tail import as_line, as_object
from trajlog.config import GroupConfig, RunConfig
from trajlog.errors import DecodeError
from trajlog.learner.consumption import QueuedGroup, judge
from trajlog.learner.history import History
from trajlog.producers.routing import Router
from trajlog.schemas import KINDS, Event, GroupSealed, Heartbeat, PolicyAcknowledged, decode, encode
from trajlog.schemas.codec import checksum
from trajlog.schemas.record import NewRecord
from trajlog.stream.archive_rows import PartitionRows, to_table
from trajlog.stream.assembly import Assembly, GroupDecision, Ledger
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.decoding import Decoder
from trajlog.stream.epochs import EpochFilter
from trajlog.stream.log import LogRecord, TopicPartition
from trajlog.stream.scheduling import Scheduling

TP = TopicPartition("t", 0)
CONFIG = RunConfig(run_id=RUN, group=GroupConfig(group_size=2, min_group_size=2))
NAN, INF = math.nan, math.inf


class Folds:
    """Everything that reads records, fed the same ones."""

    def __init__(self, run_id: str | None = RUN) -> None:
        self.rows = PartitionRows(TP, 0, None)
        self.columns, self.structs = Decoder(run_id), Decoder(run_id)
        self.ledger = Ledger()
        self.assembly = Assembly(CONFIG, self.ledger)
        self.scheduling = Scheduling(CONFIG, [CurriculumTask("t")])
        self.epochs, self.history, self.router = EpochFilter(), History(), Router(60.0, None)
        self.decisions: list[GroupDecision] = []
        self.offset = 0

    def read(self, record: NewRecord) -> list[Event]:
        read = LogRecord("t", 0, self.offset, START + timedelta(minutes=self.offset), *_fields(record))
        self.rows.add(read)
        batch = self.columns.batch(read)
        if batch is not None:
            self.assembly.read(self.offset, read.append_time, batch)
        events = self.structs.events(read)
        assert (batch is None) == (not events), "the columns of a record are taken and its structs are not"
        for event in events:
            self._follow(read, event)
        self.offset += 1
        self.assembly.settle()
        self.decisions = [d for d in self.assembly.decide(None) if isinstance(d, GroupDecision)]
        return events

    def _follow(self, read: LogRecord, event: Event) -> None:
        as_line(read, event), as_object(read, event)
        if not self.epochs.admits(event):
            return
        self.ledger.learn(event)
        self.scheduling.control(read.append_time, event)
        self.scheduling.liveness(read.append_time, event)
        self.history.apply(event)
        match event:
            case PolicyAcknowledged():
                self.router.acknowledged(event)
            case Heartbeat():
                self.router.heard(event, 0.0)
            case GroupSealed():
                judge(QueuedGroup(TP, read.offset, event), 0, CONFIG)

    def table(self) -> list[dict[str, object]]:
        return to_table([self.rows.take()]).to_pylist()


def _fields(record: NewRecord) -> tuple[bytes, tuple[tuple[str, str], ...], bytes]:
    return record.key, record.headers, record.value


def sound() -> list[NewRecord]:
    """One record of every kind, and those of two whole episodes, an event each and all of them together."""
    events = [example(kind) for kind in KINDS]
    played = [event for name in ("e1", "e2") for event in episode("g-1", name, versions=(0, 0))]
    return [record for event in [*events, *played] for record in encode([event])] + encode(played)


SOUND = sound()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_bytes_of_any_record_of_any_kind_stop_a_fold_and_every_offset_is_archived(seed: int) -> None:
    rng = random.Random(seed)
    folds = Folds(run_id=None)
    appended = []
    for _ in range(20):
        record = rng.choice(SOUND)
        if rng.random() < 0.3:
            record = with_header(record, "crc32", None)  # of a writer that does not vouch for its rows
        if rng.random() < 0.8:
            record = rng.choice(RUINS)(record, rng)
        appended.append(record)
        folds.read(record)
    folds.scheduling.decide(START, map(str, count()).__next__)
    list(folds.assembly.decide(START + timedelta(days=1)))
    covered = {row["offset"] for row in folds.table()}
    covered |= {
        offset for offset in range(20) if (mark := folds.rows._joiner.low_water(TP)) is not None and offset >= mark
    }
    assert covered == set(range(20))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_ruin_of_every_kind_is_skipped_by_readers_and_quarantined_with_its_bytes(kind: str) -> None:
    (record,) = encode([example(kind)])
    for name, bad in poisoned(record):
        folds = Folds(run_id=None)
        assert folds.read(bad) == [], name
        rows = folds.table()
        assert [row["kind"] for row in rows] == ["quarantine"], name
        (row,) = rows
        assert (row["quarantine_key"], row["quarantine_value"]) == (bad.key, bad.value), name
        assert tuple((h["name"], h["value"]) for h in row["quarantine_headers"]) == bad.headers, name
        assert row["quarantine_reason"], name
        assert folds.read(record) == [example(kind)], name  # the stream goes on


def test_a_flipped_bit_in_any_byte_of_a_record_is_found() -> None:
    (record,) = encode([generation("g", "e", 1, 0, [], [1, 2, 3], [4, 5])])
    for position in range(len(record.value)):
        value = bytearray(record.value)
        value[position] ^= 1 << position % 8
        with pytest.raises(DecodeError, match="changed after it was written"):
            decode(record.headers, bytes(value))


OPENING, TURN, ENDING = started("g", "bad"), generation("g", "bad", 1, 0, [], [1, 2], [3, 4]), finished("g", "bad", 2)
RUINED_ROWS = [
    *((TURN, {"seq": value}) for value in (-1, -(2**62))),
    *((TURN, {name: value}) for name in ("group_id", "episode_id", "producer") for value in ("", "x" * 600)),
    *((TURN, {name: value}) for name in ("turn", "chain") for value in (None, -1, -(2**31))),
    *((TURN, {"prefix_len": value}) for value in (None, -5)),
    *((TURN, {"prefix_sha256": value}) for value in (None, "zz")),
    *((TURN, {name: value}) for name in ("token_ids", "prompt_token_ids") for value in (None, [None, 4], [-1, -7])),
    *((TURN, {"logprobs": value}) for value in (None, [NAN, -0.5], [INF, -INF], [-0.5])),
    (TURN, {"policy_versions": None}),
    (TURN, {"policy_versions": [None]}),
    (TURN, {"policy_versions": [{"policy_version": -1, "num_tokens": 2}]}),
    (TURN, {"policy_versions": [{"policy_version": None, "num_tokens": 2}]}),
    (TURN, {"policy_versions": [{"policy_version": 0, "num_tokens": None}]}),
    (TURN, {"policy_versions": [{"policy_version": 0, "num_tokens": 2**60}]}),
    *((TURN, {"run_id": value}) for value in (None, "another run")),
    *((TURN, {"emitted_at": value}) for value in (None, -(2**62))),
    (TURN, {"finish_reason": "tired"}),
    *((ENDING, {"reward": value}) for value in (None, NAN, INF, -INF, 1e308)),
    *((ENDING, {"outcome": value}) for value in (None, "won", "error", "guard")),
    *((ENDING, {"num_turns": value}) for value in (None, -1)),
    *((event, {"task_id": value}) for event in (OPENING, ENDING) for value in (None, "", "x" * 600)),
    *((OPENING, {"group_size": value}) for value in (-1, -(2**31))),
    (OPENING, {"tools": "{{"}),
]


@pytest.mark.parametrize(
    ("event", "changes"), RUINED_ROWS, ids=lambda value: getattr(value, "kind", None) or str(value)[:40]
)
def test_rows_that_break_their_kinds_rules_are_quarantined_and_their_group_is_sealed_without_them(
    event: Event, changes: dict[str, object]
) -> None:
    folds = Folds()
    for one in (OPENING, TURN, ENDING):
        folds.read(ruined_row(one, changes) if one is event else encode([one])[0])
    for name in ("good 1", "good 2"):
        for record in encode(episode("g", name, reward=float(name == "good 1"))):
            folds.read(record)
    rows = folds.table()
    assert [row["offset"] for row in rows if row["kind"] == "quarantine"] == [(OPENING, TURN, ENDING).index(event)]
    sealed = [[t.episode_id for t in decision.members] for decision in folds.decisions if decision.sealed]
    assert sealed == [["good 1", "good 2"]]


def test_one_bad_row_refuses_its_whole_record() -> None:
    events = episode("g", "e", reward=0.5)
    (record, *_), rest = encode([events[1], events[1]]), encode(events)
    batch_of_two = with_header(record, "crc32", None)
    ruined = ruined_row(events[1], {"chain": -1})
    folds = Folds()
    assert folds.read(NewRecord(record.key, ruined.headers, ruined.value)) == []
    assert len(folds.read(batch_of_two)) == 2
    for one in rest:
        folds.read(one)
    assert folds.columns.num_bad == folds.structs.num_bad == 1


def test_events_of_another_run_are_skipped_by_folds_and_archived_as_what_they_are() -> None:
    folds = Folds()
    foreign = [example(kind) for kind in KINDS]  # of run `demo`
    for event in foreign:
        assert folds.read(encode([event])[0]) == []
    assert (folds.epochs.scheduler_epoch, folds.epochs.learner_epoch) == (-1, -1)
    assert folds.columns.last_error.startswith("t-0 offset ")
    assert "it is of run demo, not r" in folds.columns.last_error
    assert {row["run_id"] for row in folds.table()} == {"demo"}


def test_valid_events_that_make_no_sense_are_judged_and_stop_nothing() -> None:
    odd: Sequence[Sequence[Event]] = [
        [generation("g", "gap", 2**62, 0, [], [1], [2])],
        [started("g", "far"), generation("g", "far", 1, 0, [], [1], [2], chain=2**31 - 1)],
        [started("g", "long"), generation("g", "long", 1, 2**31 - 1, range(9), [1], [2])],
        [started("g", "future"), generation("g", "future", 1, 0, [], [1], [2], version=2**62)],
        [started("g", "big", size=2**31 - 1), *episode("g", "big")[1:]],
        [finished("g", "nothing but an end", 0)],
        [started("g", "twice"), started("g", "twice"), finished("g", "twice", 1)],
    ]
    folds = Folds()
    for events in odd:
        for record in encode(events):
            folds.read(record)
    for name in ("good 1", "good 2"):
        for record in encode(episode("other", name, reward=float(name == "good 1"))):
            folds.read(record)
    assert [d.group_id for d in folds.decisions if d.sealed] == ["other"]
    assert folds.columns.num_bad == 0


@pytest.mark.parametrize("again", ["00", "+0", " 0", "0", "x", "", "-1", "1"])
def test_part_numbers_in_any_spelling_leave_joiner_and_archive_rows_at_one(again: str) -> None:
    whole = encode(episode("g", "e"))[0]
    folds = Folds()
    folds.read(parts(whole, "p", "0", "3"))
    folds.read(parts(whole, "p", again, "3"))
    for _ in range(15):  # a minute of append time each: what is not whole by then is given up
        folds.read(whole)
    rows = folds.table()
    assert sorted({row["offset"] for row in rows}) == list(range(17))
    assert [row["offset"] for row in rows if row["kind"] == "quarantine"] == [0, 1]


def test_a_checksum_is_over_what_says_how_to_read_the_value() -> None:
    (record,) = encode([example("tool_call")])
    assert dict(record.headers)["crc32"] == checksum(record.headers, record.value)
    for name in ("kind", "schema_version", "num_events", "run_id"):
        assert checksum(with_header(record, name, "1x").headers, record.value) != dict(record.headers)["crc32"]
