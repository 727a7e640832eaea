"""The archive read as the log that it was made of: each record's events encoded again, at their old offsets.

- A record's bytes are those that today's encoder gives its events: the very ones appended, unless the record was of an
  older schema version (its events are written in the newest) or came from another encoder.
- A record in parts comes whole at the offset of its last part, split again by the same rule; other parts are passed.
- group_sealed: its chains are not archived. They are rebuilt from the members' generations, proven by tokens_sha256,
  and encoded as the assembler does it; a group of which that fails is left out, and `left_out` says why.
- rows that break their kind's rules (another writer's, under a checksum): their record is left out, too; no reader of
  events takes it.
- quarantine: key, headers and bytes as they were.
- gap: nothing.
"""

import heapq
from array import array
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import msgspec
import pyarrow as pa

from trajlog.errors import ArchiveError, DecodeError
from trajlog.schemas import (
    Chain,
    Event,
    Generation,
    GroupSealed,
    NewRecord,
    TurnSpan,
    arrow_schema,
    chains_digest,
    encode,
)
from trajlog.schemas.codec import from_batch
from trajlog.schemas.sealing import PackedChain, encode_sealed
from trajlog.schemas.union import KINDS, NOT_ARCHIVED
from trajlog.stream.archive import Archive
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.archiver import archive_location
from trajlog.stream.log import LogRecord, TopicPartition
from trajlog.stream.recorded import LeftOut

WINDOW = 5000
"""Offsets of one partition that are held decoded at once."""

_NO_EVENTS = frozenset({"gap", "quarantine", "part"})
_PLACE = frozenset(
    {"kind", "offset", "append_time", "gap_end", "quarantine_key", "quarantine_headers", "quarantine_value"}
)


class RecordedArchive:
    """The records of one version of a run's archive (recorded.Recorded). Close it: it is a context manager."""

    def __init__(self, run_dir: Path) -> None:
        """Raises ArchiveError when there is no archive."""
        self._archive = Archive(archive_location(run_dir))
        self.name = f"the archive {self._archive.location}"
        self.copy_of: str | None = None
        self.left_out: list[LeftOut] = []
        self._con = duckdb.connect()
        self._con.execute("SET TimeZone = 'UTC'")
        create_events_view(self._con, "events", self._archive.source())
        self._spans = self._find_spans()

    @property
    def identity(self) -> str:
        return self._archive.identity

    def spans(self) -> dict[TopicPartition, range]:
        return dict(self._spans)

    def _find_spans(self) -> dict[TopicPartition, range]:
        rows = self._rows('SELECT topic, "partition", min("offset") AS first FROM events GROUP BY ALL ORDER BY ALL')
        firsts = {TopicPartition(row["topic"], row["partition"]): row["first"] for row in rows.to_pylist()}
        spans = {}
        for topic in self._archive.topics:
            held = [tp for tp in firsts if tp.topic == topic]
            for partition in range(self._num_partitions(topic, held)):
                tp = TopicPartition(topic, partition)
                covered = self._archive.covered(tp)
                spans[tp] = range(0, 0) if covered is None else range(firsts.get(tp, covered + 1), covered + 1)
        return spans

    def _num_partitions(self, topic: str, held: Iterable[TopicPartition]) -> int:
        if topic.endswith(".control"):
            return 1
        rows = self._rows("SELECT max(num_partitions) AS num FROM events WHERE kind = 'run_started'").to_pylist()
        return rows[0]["num"] or max((tp.partition + 1 for tp in held), default=1)

    def offsets_at(self, time: datetime) -> dict[TopicPartition, int]:
        rows = self._rows(
            'SELECT topic, "partition", min("offset") AS first FROM events WHERE append_time >= ? AND kind <> \'gap\' '
            "GROUP BY ALL",
            [time],
        )
        found = {TopicPartition(row["topic"], row["partition"]): row["first"] for row in rows.to_pylist()}
        return {tp: found.get(tp, span.stop) for tp, span in self._spans.items()}

    def records(self, starts: Mapping[TopicPartition, int]) -> Generator[LogRecord, None, None]:
        spans = self.spans()
        parts = [
            self._partition(tp, range(max(start, spans[tp].start), spans[tp].stop)) for tp, start in starts.items()
        ]
        yield from heapq.merge(*parts, key=lambda record: (record.append_time, record.topic, record.partition))

    def num_gaps(self, starts: Mapping[TopicPartition, int]) -> int:
        """Offsets from `starts` on that hold no record."""
        rows = self._rows('SELECT topic, "partition", "offset", gap_end FROM events WHERE kind = \'gap\'').to_pylist()
        spans = [(starts.get(TopicPartition(row["topic"], row["partition"])), row) for row in rows]
        return sum(max(0, row["gap_end"] - max(start, row["offset"]) + 1) for start, row in spans if start is not None)

    def sealed_groups(
        self, group_ids: Collection[str], starts: Mapping[TopicPartition, int]
    ) -> tuple[dict[str, GroupSealed], dict[str, str]]:
        table = self._rows(
            "SELECT * FROM events WHERE kind = 'group_sealed' AND group_id IN (SELECT unnest(?)) "
            'QUALIFY row_number() OVER (PARTITION BY group_id ORDER BY topic, "partition", "offset", "row") = 1',
            [list(group_ids)],
        )
        rebuilt = self._events(table).values()
        found = {str(event.group_id): event for event in rebuilt if isinstance(event, GroupSealed)}
        return found, {entry.group_id: entry.why for entry in rebuilt if isinstance(entry, _NotRebuilt)}

    def _partition(self, tp: TopicPartition, offsets: range) -> Iterator[LogRecord]:
        for first in range(offsets.start, offsets.stop, WINDOW):
            table = self._rows(
                'SELECT * FROM events WHERE topic = ? AND "partition" = ? AND "offset" >= ? AND "offset" < ? '
                'ORDER BY "offset", "row"',
                [*tp, first, min(first + WINDOW, offsets.stop)],
            )
            yield from self._window(tp, table)

    def _window(self, tp: TopicPartition, table: pa.Table) -> Iterator[LogRecord]:
        events = self._events(table)
        rows = table.select([name for name in table.schema.names if name in _PLACE]).to_pylist()
        for offset, run in groupby(enumerate(rows), key=lambda numbered: numbered[1]["offset"]):
            indices = [index for index, _ in run]
            row = rows[indices[0]]
            if row["kind"] == "quarantine":
                headers = tuple((pair["name"], pair["value"]) for pair in row["quarantine_headers"] or ())
                value = row["quarantine_value"] or b""
                yield LogRecord(*tp, offset, row["append_time"], row["quarantine_key"] or b"", headers, value)
            elif row["kind"] not in _NO_EVENTS:
                found = [events[index] for index in indices]
                if (bad := next((entry for entry in found if isinstance(entry, _NotRebuilt)), None)) is not None:
                    self.left_out.append(LeftOut(tp, offset, *bad))
                    continue
                for record in _encoded([event for event in found if isinstance(event, Event)]):
                    yield LogRecord(*tp, offset, row["append_time"], record.key, record.headers, record.value)

    def _events(self, table: pa.Table) -> "dict[int, Event | _NotRebuilt]":
        """Row number to event."""
        kinds = [str(kind) for kind in table.column("kind").to_pylist()]
        found: dict[int, Event | _NotRebuilt] = {}
        for kind in set(kinds) - _NO_EVENTS:
            if kind not in KINDS:
                raise ArchiveError(f"{self.name} has events of kind {kind!r}, unknown here: upgrade trajlog")
            indices = [index for index, other in enumerate(kinds) if other == kind]
            found |= zip(indices, _decoded(kind, table.take(indices)), strict=True)
        sealed = {index: event for index, event in found.items() if isinstance(event, GroupSealed)}
        return found | self._rebuilt(sealed)

    def _rebuilt(self, sealed: Mapping[int, GroupSealed]) -> "dict[int, GroupSealed | _NotRebuilt]":
        """Sealed groups with their chains."""
        if not sealed:
            return {}
        table = self._rows(
            "SELECT * FROM events WHERE kind = 'generation' AND group_id IN (SELECT unnest(?)) "
            'ORDER BY topic, "partition", "offset", "row"',
            [[event.group_id for event in sealed.values()]],
        )
        turns: dict[str | None, dict[int | None, Generation]] = {}
        for event in _decoded(Generation.kind, table):
            if isinstance(event, Generation):
                turns.setdefault(event.episode_id, {}).setdefault(event.seq, event)  # the first counts
        return {index: _with_chains(event, turns) for index, event in sealed.items()}

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        try:
            rows = self._con.sql(sql, params=list(parameters)).to_arrow_table()
        except duckdb.Error as error:
            raise ArchiveError(
                f"the files of {self.name} cannot be read: {error}. Check them with `trajlog archive verify`."
            ) from error
        assert isinstance(rows, pa.Table)
        return rows

    def close(self) -> None:
        self._con.close()

    def __enter__(self) -> "RecordedArchive":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _NotRebuilt(NamedTuple):
    group_id: str
    why: str


def _decoded(kind: str, table: pa.Table) -> list[Event | _NotRebuilt]:
    """Events of rows of one kind, or what is wrong with a row; columns that are not archived are empty."""
    schema = arrow_schema(KINDS[kind])
    for field in schema:
        if (kind, field.name) in NOT_ARCHIVED:
            table = table.append_column(field.name, pa.array([[]] * table.num_rows, field.type))
    batches = table.select(schema.names).to_batches()
    try:
        return [event for batch in batches for event in from_batch(kind, batch)]
    except DecodeError:
        return [_event(kind, batch.slice(row, 1)) for batch in batches for row in range(batch.num_rows)]


def _event(kind: str, row: pa.RecordBatch) -> Event | _NotRebuilt:
    try:
        return from_batch(kind, row)[0]
    except DecodeError as error:
        return _NotRebuilt(str(row.column("group_id")[0].as_py()), str(error))


def _with_chains(
    sealed: GroupSealed, turns: Mapping[str | None, Mapping[int | None, Generation]]
) -> "GroupSealed | _NotRebuilt":
    chains: list[Chain] = []
    for index, member in enumerate(sealed.members):
        found = turns.get(member.episode_id, {})
        own = _chains(index, [turn for _, turn in sorted(found.items(), key=lambda item: item[0] or 0)])
        if isinstance(own, str):
            return _NotRebuilt(str(sealed.group_id), f"episode {member.episode_id}: {own}")
        chains += own
    digest = chains_digest(chains)
    if digest != sealed.tokens_sha256:
        why = f"its generations give tokens_sha256 {digest}, the group says {sealed.tokens_sha256}"
        return _NotRebuilt(str(sealed.group_id), why)
    return msgspec.structs.replace(sealed, chains=tuple(chains))


def _encoded(events: Sequence[Event]) -> list[NewRecord]:
    """Records of one record's events, by the encoder that their producer used."""
    match events:
        case [GroupSealed() as sealed]:
            return encode_sealed(msgspec.structs.replace(sealed, chains=()), [_packed(c) for c in sealed.chains])
        case _:
            return encode(events)


def _packed(chain: Chain) -> PackedChain:
    logprobs = array("f", [nan if logprob is None else logprob for logprob in chain.rollout_logprobs])
    token_ids = array("i", chain.token_ids).tobytes()
    return PackedChain(chain.member, token_ids, bytes(chain.loss_mask), logprobs.tobytes(), chain.turns)


def _chains(member: int, turns: Iterable[Generation]) -> list[Chain] | str:
    """Chains of an episode from its turns in order of seq, or what is wrong with them."""
    open_chains: list[tuple[array[int], list[float | None], list[bool], list[TurnSpan]]] = []
    for turn in turns:
        if turn.chain == len(open_chains):
            open_chains.append((array("i"), [], [], []))
        if turn.chain >= len(open_chains) or turn.prefix_len != len(open_chains[turn.chain][0]):
            return f"turn {turn.turn} does not continue chain {turn.chain}: events are missing"
        token_ids, logprobs, mask, spans = open_chains[turn.chain]
        context, generated = len(turn.prompt_token_ids), len(turn.token_ids)
        start = len(token_ids) + context
        token_ids.extend(turn.prompt_token_ids + turn.token_ids)
        logprobs += (None,) * context + turn.logprobs
        mask += [False] * context + [True] * generated
        spans.append(TurnSpan(turn.turn, start, start + generated, turn.policy_versions))
    return [
        Chain(member, tuple(token_ids), tuple(mask), tuple(logprobs), tuple(spans))
        for token_ids, logprobs, mask, spans in open_chains
    ]
