"""Trajectories to packs of tensors: what every side gets, the same ids, chains and weights for all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from trajlog.learner.advantages import group_advantages, length_weights
from trajlog.learner.batch import StepBatch, TrainChain
from trajlog.learner.loss import token_weights
from trajlog.learner.packing import pack

from .lengths import Mix

LENGTH_ALPHA = 0.5
ROLLOUT_NOISE = 0.03
"""Nats of spread between the trainer's and the sampler's log-probabilities (bf16 against bf16: 0.05 mean)."""


@dataclass(frozen=True)
class Pack:
    """Documents end to end.

    tokens int64 [T]; lengths of the documents, sum T; positions int64 [n] of trained tokens in the pack, never a
    document's first; at them document int64 (0, 1, ... in the pack), rollout_logprobs, advantages and weights, float32
    [n]. `weights` make the sum over all packs of a step the mean over responses and groups.
    """

    tokens: Tensor
    lengths: tuple[int, ...]
    positions: Tensor
    document: Tensor
    rollout_logprobs: Tensor
    advantages: Tensor
    weights: Tensor

    @property
    def num_tokens(self) -> int:
        return sum(self.lengths)

    def sampled(self, logprobs: Tensor, seed: int) -> "Pack":
        """The same with rollout log-probabilities near those of the policy [n], as a fresh sampler would give."""
        generator = torch.Generator(logprobs.device).manual_seed(seed)
        noise = torch.randn(logprobs.shape, device=logprobs.device, generator=generator)
        return replace(self, rollout_logprobs=logprobs.detach().float() + ROLLOUT_NOISE * noise)


def packs(mix: Mix, context: int, vocabulary: int, device: str, seed: int = 0) -> list[Pack]:
    """The step's packs of at most `context` tokens, in the packer's order. Trained are the turns' tokens."""
    batch = step_batch(mix, vocabulary, seed)
    chains = batch.chains
    weights = token_weights(batch.num_tokens, batch.group)
    made = []
    for indices in pack([len(chain.token_ids) for chain in chains], context):
        tokens, trained = [c.token_ids for c in chains], [c.positions for c in chains]
        made.append(_joined(indices, tokens, trained, weights, batch.advantages, device))
    return made


def step_batch(mix: Mix, vocabulary: int, seed: int = 0) -> StepBatch:
    """What a learner makes of the groups: one chain per trajectory, advantages with length weights, on the host.

    Rollout log-probabilities are zeros until a policy has scored the chains.
    """
    generator = torch.Generator().manual_seed(seed)
    chains = []
    for number, trajectory in enumerate(mix.trajectories):
        positions = torch.cat([torch.arange(*turn) for turn in trajectory.turns])
        ids = torch.randint(0, vocabulary, (trajectory.num_tokens,), generator=generator)
        chains.append(TrainChain(ids, positions, torch.zeros(len(positions)), number))
    rewards = torch.rand(len(chains), generator=generator).tolist()
    advantages: list[float] = []
    for group in range(mix.trajectories[-1].group + 1):
        members = [number for number, t in enumerate(mix.trajectories) if t.group == group]
        centred = group_advantages([rewards[number] for number in members], divide_by_std=False)
        weights = length_weights([mix.trajectories[number].num_generated for number in members], LENGTH_ALPHA)
        advantages += [a * w for a, w in zip(centred, weights, strict=True)]
    return StepBatch(
        chains=tuple(chains),
        advantages=torch.tensor(advantages),
        group=torch.tensor([t.group for t in mix.trajectories]),
        num_tokens=torch.tensor([t.num_generated for t in mix.trajectories]),
        num_unscored=0,
        num_stale_turns=0,
    )


def one_pack(lengths: Sequence[int], vocabulary: int, device: str, seed: int = 0) -> Pack:
    """Documents of given lengths in one pack, every token trained."""
    generator = torch.Generator().manual_seed(seed)
    tokens = [torch.randint(0, vocabulary, (n,), generator=generator) for n in lengths]
    trained = [torch.arange(1, n) for n in lengths]
    weights = torch.tensor([1.0 / (len(lengths) * (n - 1)) for n in lengths])
    advantages = torch.randn(len(lengths), generator=generator)
    return _joined(range(len(lengths)), tokens, trained, weights, advantages, device)


def _joined(
    indices: Sequence[int],
    tokens: Sequence[Tensor],
    trained: Sequence[Tensor],
    weights: Tensor,
    advantages: Tensor,
    device: str,
) -> Pack:
    lengths = tuple(len(tokens[i]) for i in indices)
    starts = [sum(lengths[:number]) for number in range(len(lengths))]
    repeats = torch.tensor([len(trained[i]) for i in indices])
    chosen = torch.tensor(list(indices))
    positions = torch.cat([trained[i] + start for i, start in zip(indices, starts, strict=True)])
    return Pack(
        tokens=torch.cat([tokens[i] for i in indices]).to(device),
        lengths=lengths,
        positions=positions.to(device),
        document=torch.arange(len(lengths)).repeat_interleave(repeats).to(device),
        rollout_logprobs=torch.zeros(len(positions), device=device),
        advantages=advantages[chosen].repeat_interleave(repeats).to(device),
        weights=weights[chosen].repeat_interleave(repeats).to(device),
    )
