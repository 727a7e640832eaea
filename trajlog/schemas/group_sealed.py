"""group_sealed: a whole GRPO group in one record, ready to train. Archived without `chains`, with their digest."""

import hashlib
from array import array
from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from trajlog.schemas.base import Count, Event, Index, Name, Reward, Sha256, Topic
from trajlog.schemas.episode_finished import Outcome
from trajlog.schemas.generation import Logprobs, TokenIds, VersionRun


class Member(msgspec.Struct, frozen=True):
    """One trajectory of the group."""

    episode_id: Name
    outcome: Outcome
    reward: Reward
    num_generated_tokens: Count
    """L_i of the length weight: generated tokens over all turns and chains, masked or not."""
    num_turns: Count


class TurnSpan(msgspec.Struct, frozen=True):
    """Generated tokens of one turn inside a chain: positions start..stop-1 of token_ids."""

    turn: Index
    start: Index
    stop: Index
    policy_versions: tuple[VersionRun, ...]


class Chain(msgspec.Struct, frozen=True):
    """One token sequence of one member, prompt and all turns that extended it, length T."""

    member: Index
    """Index into members."""
    token_ids: TokenIds
    loss_mask: tuple[bool, ...]
    """True exactly on tokens that this chain generated (each generated token is trained once), bool [T]."""
    rollout_logprobs: Logprobs
    """Sampler's log-probabilities, float32 [T]; None on context and on unscored tokens."""
    turns: tuple[TurnSpan, ...]


class TurnRouting(msgspec.Struct, frozen=True):
    """The side file of one turn: the experts that a mixture's routers chose (serving/routed_experts.py)."""

    chain: Index
    """Index into chains."""
    turn: Index
    uri: Name
    sha256: Sha256


class GroupSealed(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "group_sealed"
    version: ClassVar[int] = 2
    topic: ClassVar[Topic] = "groups"

    task_id: Name
    sealed_because: Literal["full", "timeout"]
    policy_version_min: Count
    policy_version_max: Count
    members: tuple[Member, ...]
    chains: tuple[Chain, ...]
    tokens_sha256: Sha256
    """chains_digest of `chains`."""
    routed_experts: tuple[TurnRouting, ...] | None = None
    """Of each turn whose generation names a side file, in order; from version 2 on."""

    def check(self) -> None:
        for index, chain in enumerate(self.chains):
            lengths = {len(chain.token_ids), len(chain.loss_mask), len(chain.rollout_logprobs)}
            if len(lengths) != 1:
                raise ValueError(f"chains[{index}]: token_ids, loss_mask, rollout_logprobs differ in length {lengths}")
            if chain.member >= len(self.members):
                raise ValueError(f"chains[{index}].member is {chain.member} of {len(self.members)} members")
            spans = sum(span.stop - span.start for span in chain.turns)
            if spans != sum(chain.loss_mask):
                raise ValueError(f"chains[{index}]: turns span {spans} tokens, loss_mask has {sum(chain.loss_mask)}")
        turns = {(index, span.turn) for index, chain in enumerate(self.chains) for span in chain.turns}
        for routing in self.routed_experts or () if self.chains else ():
            if (routing.chain, routing.turn) not in turns:
                raise ValueError(f"routed_experts names turn {routing.turn} of chains[{routing.chain}], not there")


def chains_digest(chains: Sequence[Chain]) -> str:
    """SHA-256 (hex) over member, token ids and loss mask of every chain, int32 little-endian."""
    digest = hashlib.sha256()
    for chain in chains:
        digest.update(array("i", [chain.member, len(chain.token_ids)]).tobytes())
        digest.update(array("i", chain.token_ids).tobytes())
        digest.update(bytes(chain.loss_mask))
    return digest.hexdigest()
