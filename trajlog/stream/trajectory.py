"""One episode as its events arrive: counters and token buffers, no text and no Python lists of tokens. Pure.

Events may come twice and out of order: they are applied by seq, each once. A trajectory is complete when all of
0..N are there and N is its episode_finished.
"""

import hashlib
from array import array
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from trajlog.schemas import Chain, EventBatch, TurnSpan, VersionRun
from trajlog.schemas.episode_finished import Outcome
from trajlog.stream.staleness import oldest_version

NULL = float("nan")
"""An unscored token's entry in a float32 buffer; events hold null there and never NaN."""


class Turn(NamedTuple):
    """What a generation adds."""

    turn: int
    chain: int
    prefix_len: int
    prefix_sha256: str
    prompt_token_ids: "array[int]"
    token_ids: "array[int]"
    logprobs: "array[float]"
    policy_versions: tuple[VersionRun, ...]


class Begin(NamedTuple):
    task_id: str
    group_size: int | None


class Finish(NamedTuple):
    task_id: str
    outcome: Outcome
    reward: float | None
    num_turns: int
    debugger_fits: bool | None


class Step(NamedTuple):
    """A tool call or an observation: only its place counts here."""


Fact = Turn | Begin | Finish | Step


class Addressed(NamedTuple):
    """A fact and where it belongs; ids are None in an event that lacks them."""

    group_id: str | None
    episode_id: str | None
    seq: int | None
    fact: Fact


def facts(batch: EventBatch) -> Iterator[Addressed]:
    """Facts of a record of `.rollouts`, in order."""
    columns = batch.batch
    ids = zip(*(columns.column(name).to_pylist() for name in ("group_id", "episode_id", "seq")), strict=True)
    for row, (group_id, episode_id, seq) in enumerate(ids):
        yield Addressed(group_id, episode_id, seq, _fact(batch.kind, columns, row))


def _fact(kind: str, columns: pa.RecordBatch, row: int) -> Fact:
    def value(name: str) -> Any:
        return columns.column(name)[row]

    match kind:
        case "episode_started":
            return Begin(*(value(name).as_py() for name in ("task_id", "group_size")))
        case "generation":
            return Turn(
                turn=value("turn").as_py(),
                chain=value("chain").as_py(),
                prefix_len=value("prefix_len").as_py(),
                prefix_sha256=value("prefix_sha256").as_py(),
                prompt_token_ids=_buffer("i", value("prompt_token_ids").values),
                token_ids=_buffer("i", value("token_ids").values),
                logprobs=_buffer("f", value("logprobs").values.fill_null(NULL)),
                policy_versions=tuple(VersionRun(**run) for run in value("policy_versions").as_py()),
            )
        case "episode_finished":
            return Finish(*(value(name).as_py() for name in Finish._fields))
    return Step()


def _buffer(typecode: str, values: Any) -> Any:
    """A copy of int32 or float32 values that does not keep the record's other columns alive."""
    copied: array[Any] = array(typecode)
    if len(values):
        copied.frombytes(memoryview(values.buffers()[1])[values.offset * 4 : (values.offset + len(values)) * 4])
    return copied


class TokenChain:
    """One token sequence that is only appended to."""

    def __init__(self) -> None:
        self.token_ids: array[int] = array("i")
        self.logprobs: array[float] = array("f")
        self.turns: list[TurnSpan] = []
        self._sha256 = hashlib.sha256()

    def append(self, turn: Turn) -> str | None:
        """Add a turn, or say why it does not continue this chain."""
        if turn.prefix_len != len(self.token_ids):
            return f"turn {turn.turn} continues {turn.prefix_len} tokens of chain {turn.chain}, which has {len(self)}"
        if turn.prefix_sha256 != self._sha256.hexdigest():
            return f"turn {turn.turn} continues other tokens than chain {turn.chain} has (prefix_sha256 differs)"
        if not len(turn.token_ids) == len(turn.logprobs) == sum(run.num_tokens for run in turn.policy_versions):
            return f"turn {turn.turn}: token_ids, logprobs and policy_versions differ in length"
        self.token_ids += turn.prompt_token_ids
        self.logprobs += array("f", [NULL]) * len(turn.prompt_token_ids)
        start = len(self.token_ids)
        self.token_ids += turn.token_ids
        self.logprobs += turn.logprobs
        self.turns.append(TurnSpan(turn.turn, start, len(self.token_ids), turn.policy_versions))
        self._sha256.update(turn.prompt_token_ids.tobytes())
        self._sha256.update(turn.token_ids.tobytes())
        return None

    def sealed(self, member: int) -> Chain:
        """As it travels in group_sealed: True in loss_mask exactly on generated tokens."""
        loss_mask = bytearray(len(self.token_ids))
        for span in self.turns:
            loss_mask[span.start : span.stop] = b"\x01" * (span.stop - span.start)
        return Chain(
            member=member,
            token_ids=tuple(self.token_ids),
            loss_mask=tuple(map(bool, loss_mask)),
            rollout_logprobs=tuple(None if value != value else value for value in self.logprobs),
            turns=tuple(self.turns),
        )

    def __len__(self) -> int:
        return len(self.token_ids)


class Trajectory:
    """Fold of one episode's facts."""

    def __init__(self, episode_id: str) -> None:
        self.episode_id = episode_id
        self.task_id: str | None = None
        self.group_size: int | None = None
        """Members that its group is filled with, as episode_started says."""
        self.chains: list[TokenChain] = []
        self.num_generated_tokens = 0
        self.finish: Finish | None = None
        """Set as soon as episode_finished is seen, also while earlier events are missing."""
        self.complete = False
        self.broken: str | None = None
        """Why its events cannot be put together; its buffers are gone then."""
        self._next_seq = 0
        self._waiting: dict[int, Fact] = {}

    def add(self, seq: int, fact: Fact) -> bool:
        """Add an event; False when its seq was there already (the first counts) or the episode is complete."""
        if self.complete or seq < self._next_seq or seq in self._waiting:
            return False
        self._waiting[seq] = fact
        if isinstance(fact, Finish):
            self.finish, self.task_id = fact, self.task_id or fact.task_id
        while not self.complete and (next_fact := self._waiting.pop(self._next_seq, None)) is not None:
            self._apply(next_fact)
            self._next_seq += 1
        return True

    def _apply(self, fact: Fact) -> None:
        if isinstance(fact, Begin) != (self._next_seq == 0):
            self._break(f"event {self._next_seq} is {type(fact).__name__}: episode_started must be first, and once")
        match fact:
            case Begin():
                self.task_id, self.group_size = fact.task_id, fact.group_size
            case Turn() if self.broken is None:
                if fact.chain == len(self.chains):
                    self.chains.append(TokenChain())
                if fact.chain < len(self.chains):
                    self._break(self.chains[fact.chain].append(fact))
                else:
                    self._break(f"turn {fact.turn} begins chain {fact.chain} after {len(self.chains)} chains")
                self.num_generated_tokens += len(fact.token_ids)
            case Finish():
                self.complete = True
                self._waiting.clear()

    def _break(self, reason: str | None) -> None:
        if reason is not None and self.broken is None:
            self.broken = reason
            self.chains.clear()

    @property
    def longest_chain_tokens(self) -> int:
        return max(map(len, self.chains), default=0)

    def versions(self) -> list[VersionRun]:
        """Runs of policy versions over all generated tokens."""
        return [run for chain in self.chains for span in chain.turns for run in span.policy_versions if run.num_tokens]

    def oldest_versions(self) -> dict[int, int]:
        """Turn to the version of its oldest token, over the turns that generated anything."""
        oldest: dict[int, int] = {}
        for chain in self.chains:
            for span in chain.turns:
                if span.stop > span.start:
                    oldest[span.turn] = oldest_version(span.policy_versions)
        return oldest
