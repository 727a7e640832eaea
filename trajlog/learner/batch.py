"""Sealed groups to the tensors of one optimizer step. Pure.

group A  member 0  chain 0  -> response 0, advantage, trained positions
                   chain 1  -> response 0
         member 1  (all its turns are stale) -> response 1 without a trained token: in no mean
group B  member 0           -> response 2
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner.algorithms import Algorithm
from trajlog.learner.consumption import overlong_members
from trajlog.learner.packing import pack
from trajlog.learner.recorded_routing import GroupRouting
from trajlog.learner.sharing import end_to_end_lengths, shared_length
from trajlog.schemas.group_sealed import Chain, GroupSealed
from trajlog.stream.staleness import StalenessVerdict


@dataclass(frozen=True)
class TrainChain:
    """One token sequence with the tokens to train.

    token_ids int64 [T]; positions int64 [n], rising, 1 or more; rollout_logprobs float32 [n] at them; `response` is
    the index of its trajectory in the step. routed_experts int16 [T, layers, K]: what the sampler's routers chose
    (recorded_routing.py); None where nothing was recorded or nothing is replayed.
    """

    token_ids: Tensor
    positions: Tensor
    rollout_logprobs: Tensor
    response: int
    routed_experts: Tensor | None = None


@dataclass(frozen=True)
class StepBatch:
    """One optimizer step's data: chains with at least one trained token, and N responses (all sealed members)."""

    chains: tuple[TrainChain, ...]
    advantages: Tensor
    """float32 [N], length weight included."""
    group: Tensor
    """int64 [N], position of each response's group in the step."""
    num_tokens: Tensor
    """int64 [N], trained tokens."""
    num_unscored: int
    """Fresh generated tokens left out because the sampler gave no logprob."""
    num_stale_turns: int
    overlong_outcomes: tuple[str, ...] = ()
    """Outcome of each member left out because its tokens do not fit into a microbatch."""


def build_batch(
    groups: Sequence[tuple[GroupSealed, StalenessVerdict]],
    algorithm: Algorithm,
    config: LearnerConfig,
    routing: Sequence[GroupRouting] | None = None,
) -> StepBatch:
    """Advantages run over every sealed member of a group, whatever was masked since; see docs/algorithm.md.

    A member that no microbatch can hold (overlong_members) trains nothing, and counts in the group's mean reward.
    `routing` of each group is replayed.
    """
    chains: list[TrainChain] = []
    advantages: list[float] = []
    group_of: list[int] = []
    unscored = 0
    overlong: list[str] = []
    for index, (group, verdict) in enumerate(groups):
        first = len(advantages)
        rewards = [member.reward for member in group.members]
        lengths = [member.num_generated_tokens for member in group.members]
        advantages += algorithm.advantages(rewards, lengths, config)
        group_of += [index] * len(rewards)
        too_long = overlong_members(group, config.max_tokens_per_microbatch)
        overlong += [group.members[member].outcome for member in too_long]
        unscored += sum(len(fresh_positions(c, verdict)) for c in group.chains if c.member not in too_long)
        for place, positions in trained_positions(group, verdict, config).items():
            unscored -= len(positions)
            recorded = None if routing is None else routing[index].chains.get(place)
            chain = group.chains[place]
            chains.append(_train_chain(chain, positions, first + chain.member, recorded))
    num_tokens = torch.zeros(len(advantages), dtype=torch.int64)
    for train_chain in chains:
        num_tokens[train_chain.response] += len(train_chain.positions)
    return StepBatch(
        chains=tuple(chains),
        advantages=torch.tensor(advantages, dtype=torch.float32),
        group=torch.tensor(group_of, dtype=torch.int64),
        num_tokens=num_tokens,
        num_unscored=unscored,
        num_stale_turns=sum(len(verdict.masked) for _, verdict in groups),
        overlong_outcomes=tuple(overlong),
    )


def by_group(batch: StepBatch) -> list[StepBatch]:
    """One batch per group, in order, with its own responses counted from 0; the counts of tokens left out stay behind.

    Groups share nothing in the loss but the division by their number, so a step can begin with the first.
    """
    parts = []
    for number in batch.group.unique().tolist():
        own = (batch.group == number).nonzero().flatten()
        place = {response: index for index, response in enumerate(own.tolist())}
        parts.append(
            StepBatch(
                chains=tuple(replace(c, response=place[c.response]) for c in batch.chains if c.response in place),
                advantages=batch.advantages[own],
                group=torch.zeros(len(own), dtype=torch.int64),
                num_tokens=batch.num_tokens[own],
                num_unscored=0,
                num_stale_turns=0,
            )
        )
    return parts


def joined(batches: Sequence[StepBatch]) -> StepBatch:
    """One batch of at least one, in order, as `build_batch` makes it of all their groups; no token is copied."""
    chains: list[TrainChain] = []
    groups: list[Tensor] = []
    num_responses = num_groups = 0
    for batch in batches:
        chains += [replace(chain, response=num_responses + chain.response) for chain in batch.chains]
        groups.append(batch.group + num_groups)
        num_responses += len(batch.group)
        num_groups += int(batch.group.max()) + 1
    return StepBatch(
        chains=tuple(chains),
        advantages=torch.cat([batch.advantages for batch in batches]),
        group=torch.cat(groups),
        num_tokens=torch.cat([batch.num_tokens for batch in batches]),
        num_unscored=sum(batch.num_unscored for batch in batches),
        num_stale_turns=sum(batch.num_stale_turns for batch in batches),
        overlong_outcomes=tuple(outcome for batch in batches for outcome in batch.overlong_outcomes),
    )


def microbatches(chains: Sequence[TrainChain], max_tokens: int, share_prefix: bool = False) -> list[list[int]]:
    """Indices of one group's chains by microbatch, for one rank; a response's chains share one where they
    fit.

    Always group by group, so that the packing does not depend on which groups had come when. With `share_prefix` a
    beginning that all chains share (sharing.py) counts once in a microbatch.
    """
    shared = shared_by(chains) if share_prefix else 0
    return pack([len(c.token_ids) for c in chains], max_tokens, [c.response for c in chains], shared=shared)


def computed(chains: Sequence[TrainChain], share_prefix: bool = False) -> int:
    """Tokens that one pass over a microbatch computes."""
    return sum(end_to_end_lengths([len(c.token_ids) for c in chains], shared_by(chains) if share_prefix else 0))


def shared_by(chains: Sequence[TrainChain]) -> int:
    """Tokens at the beginning of all chains that can be computed once (sharing.py)."""
    return shared_length([c.token_ids for c in chains], [c.positions for c in chains])


def trained_positions(group: GroupSealed, verdict: StalenessVerdict, config: LearnerConfig) -> dict[int, list[int]]:
    """By a chain's place in its group, the positions that are trained; chains without one are left out."""
    too_long = overlong_members(group, config.max_tokens_per_microbatch)
    found = {
        place: [p for p in fresh_positions(chain, verdict) if chain.rollout_logprobs[p] is not None]
        for place, chain in enumerate(group.chains)
        if chain.member not in too_long
    }
    return {place: positions for place, positions in found.items() if positions}


def fresh_positions(chain: Chain, verdict: StalenessVerdict) -> list[int]:
    """Positions of generated tokens whose turn is not masked; position 0 has no prediction and is never among them."""
    return [
        position
        for span in chain.turns
        if (chain.member, span.turn) not in verdict.masked
        for position in range(max(span.start, 1), span.stop)
        if chain.loss_mask[position]
    ]


def _train_chain(chain: Chain, positions: list[int], response: int, recorded: Tensor | None) -> TrainChain:
    """Tokens after the last trained one predict nothing that is trained: they are cut off."""
    return TrainChain(
        token_ids=torch.tensor(chain.token_ids[: positions[-1] + 1], dtype=torch.int64),
        positions=torch.tensor(positions, dtype=torch.int64),
        rollout_logprobs=torch.tensor([chain.rollout_logprobs[p] for p in positions], dtype=torch.float32),
        response=response,
        routed_experts=None if recorded is None else recorded[: positions[-1] + 1],
    )
