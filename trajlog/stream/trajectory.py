"""One episode as its events arrive: counters and token buffers, no text and no Python lists of tokens. Pure.

Events may come twice and out of order: they are applied by seq, each once. A trajectory is complete when all of
0..N are there and N is its episode_finished.
"""

import hashlib
import struct
from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple, get_args

from trajlog.errors import DecodeError
from trajlog.schemas import EventBatch, TurnSpan, VersionRun
from trajlog.schemas.base import MAX_REWARD
from trajlog.schemas.columns import NULL, Columns, columns_of
from trajlog.schemas.episode_finished import Outcome
from trajlog.schemas.sealing import PackedChain
from trajlog.stream.staleness import oldest_version

_OUTCOMES = frozenset(get_args(Outcome))
_GAP = struct.pack("<f", NULL)

TRAJECTORY_BYTES = 2048
"""What an episode costs besides its tokens: ids, counters, a digest's state."""
FACT_BYTES = 512
"""What an event costs besides its tokens while it is held."""


class Turn(NamedTuple):
    """What a generation adds."""

    turn: int
    chain: int
    prefix_len: int
    prefix_sha256: str
    prompt_token_ids: bytes
    """int32, as token_ids."""
    token_ids: bytes
    logprobs: bytes
    """float32, NULL where a token was not scored."""
    policy_versions: tuple[VersionRun, ...]
    routed_experts_uri: str | None = None
    routed_experts_sha256: str | None = None

    @property
    def num_tokens(self) -> int:
        """Generated ones."""
        return len(self.token_ids) // 4


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


STEP = Step()

Fact = Turn | Begin | Finish | Step


class Addressed(NamedTuple):
    """A fact and where it belongs; ids are None in an event that lacks them."""

    group_id: str | None
    episode_id: str | None
    seq: int | None
    fact: Fact


def facts(batch: EventBatch | Columns) -> list[Addressed]:
    """Facts of a record of `.rollouts`, in order. Raises DecodeError when they cannot be read."""
    if isinstance(batch, EventBatch):
        batch = columns_of(batch)
    found = _facts(batch)
    rows = list(map(Addressed, batch.texts("group_id"), batch.texts("episode_id"), batch.numbers("seq", "q"), found))
    for group_id, episode_id, _, fact in rows:
        named = (group_id is None or _is_name(group_id)) and (episode_id is None or _is_name(episode_id))
        if not (named and _is_sound(fact)):
            raise DecodeError(
                f"{batch.kind}: a row does not follow its kind's rules: {group_id}, {episode_id}, {fact!r:.200}"
            )
    return rows


def _is_name(value: str | None) -> bool:
    return value is not None and 0 < len(value) <= 512


def _is_sound(fact: Fact) -> bool:
    """Whether a fact follows its kind's rules as far as verdicts and groups are made of it."""
    match fact:
        case Turn():
            numbers = (
                fact.turn,
                fact.chain,
                fact.prefix_len,
                *(n for run in fact.policy_versions for n in (run.policy_version, run.num_tokens)),
            )
            uri, sha256 = fact.routed_experts_uri, fact.routed_experts_sha256
            named = (uri is None or _is_name(uri)) and (sha256 is None or len(sha256) == 64)
            return named and None not in numbers and min(numbers) >= 0
        case Begin():
            return _is_name(fact.task_id) and (fact.group_size is None or fact.group_size > 0)
        case Finish():
            scored = fact.reward is not None and abs(fact.reward) <= MAX_REWARD
            known = fact.outcome in _OUTCOMES and (fact.num_turns or 0) >= 0
            return _is_name(fact.task_id) and known and (scored if fact.outcome != "error" else fact.reward is None)
    return True


def _facts(batch: Columns) -> Iterable[Fact]:
    match batch.kind:
        case "generation":
            return map(
                Turn,
                batch.numbers("turn", "i"),
                batch.numbers("chain", "i"),
                batch.numbers("prefix_len", "q"),
                batch.texts("prefix_sha256"),
                batch.arrays("prompt_token_ids"),
                batch.arrays("token_ids"),
                batch.arrays("logprobs"),
                (tuple(VersionRun(*run) for run in runs) for runs in batch.pairs("policy_versions")),
                batch.texts("routed_experts_uri"),
                batch.texts("routed_experts_sha256"),
            )
        case "episode_started":
            return map(Begin, batch.texts("task_id"), batch.numbers("group_size", "i"))
        case "episode_finished":
            return map(
                Finish,
                batch.texts("task_id"),
                batch.texts("outcome"),
                batch.numbers("reward", "d"),
                batch.numbers("num_turns", "q"),
                batch.flags("debugger_fits"),
            )
    return repeat(STEP)


def _weight(fact: Fact) -> int:
    if isinstance(fact, Turn):
        return FACT_BYTES + len(fact.prompt_token_ids) + len(fact.token_ids) + len(fact.logprobs)
    return FACT_BYTES


class TokenChain:
    """One token sequence that is only appended to: the pieces as they came, joined at sealing."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        """Prompt and generated tokens (int32) of each turn in turn."""
        self.logprobs: list[bytes] = []
        """float32, of each turn's generated tokens."""
        self.turns: list[TurnSpan] = []
        self.routed_experts: list[tuple[int, str, str]] = []
        """Turn, URI and SHA-256 of each side file."""
        self._length = 0
        self._sha256 = hashlib.sha256()

    def append(self, turn: Turn) -> str | None:
        """Add a turn, or say why it does not continue this chain."""
        if turn.prefix_len != self._length:
            return f"turn {turn.turn} continues {turn.prefix_len} tokens of chain {turn.chain}, which has {len(self)}"
        if turn.prefix_sha256 != self._sha256.hexdigest():
            return f"turn {turn.turn} continues other tokens than chain {turn.chain} has (prefix_sha256 differs)"
        num_tokens = turn.num_tokens
        if not 4 * num_tokens == len(turn.logprobs) == 4 * sum(run.num_tokens for run in turn.policy_versions):
            return f"turn {turn.turn}: token_ids, logprobs and policy_versions differ in length"
        start = self._length + len(turn.prompt_token_ids) // 4
        self._length = start + num_tokens
        self.pieces += (turn.prompt_token_ids, turn.token_ids)
        self.logprobs.append(turn.logprobs)
        self.turns.append(TurnSpan(turn.turn, start, self._length, turn.policy_versions))
        if turn.routed_experts_uri is not None and turn.routed_experts_sha256 is not None:
            self.routed_experts.append((turn.turn, turn.routed_experts_uri, turn.routed_experts_sha256))
        self._sha256.update(turn.prompt_token_ids)
        self._sha256.update(turn.token_ids)
        return None

    def packed(self, member: int) -> PackedChain:
        """As it travels in group_sealed: 1 in the mask exactly on generated tokens."""
        prompts, generated = self.pieces[::2], self.pieces[1::2]
        mask = [b"\0" * (len(p) // 4) + b"\1" * (len(g) // 4) for p, g in zip(prompts, generated, strict=True)]
        gaps = [_GAP * (len(p) // 4) + g for p, g in zip(prompts, self.logprobs, strict=True)]
        return PackedChain(member, b"".join(self.pieces), b"".join(mask), b"".join(gaps), tuple(self.turns))

    def __len__(self) -> int:
        return self._length


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
        self.num_bytes = TRAJECTORY_BYTES
        """Held, about."""
        self._next_seq = 0
        self._waiting: dict[int, Fact] = {}

    def add(self, seq: int, fact: Fact) -> bool:
        """Add an event; False when its seq was there already (the first counts) or the episode is complete."""
        if self.complete or seq < self._next_seq or seq in self._waiting:
            return False
        self._waiting[seq] = fact
        self.num_bytes += _weight(fact)
        if isinstance(fact, Finish):
            self.finish, self.task_id = fact, self.task_id or fact.task_id
        while not self.complete and (next_fact := self._waiting.pop(self._next_seq, None)) is not None:
            if not isinstance(next_fact, Turn) or self.broken is not None:
                self.num_bytes -= _weight(next_fact)
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
                self.num_generated_tokens += fact.num_tokens
            case Finish():
                self.finish = fact  # another one, further on, may have been seen since
                self.complete = True
                self.num_bytes -= sum(map(_weight, self._waiting.values()))
                self._waiting.clear()

    def _break(self, reason: str | None) -> None:
        if reason is not None and self.broken is None:
            self.broken = reason
            self.chains.clear()
            self.num_bytes = TRAJECTORY_BYTES + sum(map(_weight, self._waiting.values()))

    @property
    def began(self) -> bool:
        """Whether its first event was seen."""
        return self._next_seq > 0

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
