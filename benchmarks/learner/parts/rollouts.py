"""Rollout log-probabilities for a step's chains, near the policy's own, as a fresh sampler's would be."""

from dataclasses import replace

import torch

from trajlog.learner.batch import StepBatch
from trajlog.learner.packing import pack
from trajlog.learner.policy import PolicyModel
from trajlog.learner.ranks import Ranks

from .objective import POLICY
from .packs import ROLLOUT_NOISE


def sampled_batch(policy: PolicyModel, batch: StepBatch, max_tokens: int, ranks: Ranks | None = None) -> StepBatch:
    """Scores every chain, each rank some packs, and adds seeded noise. All ranks call it, and get the same."""
    ranks, chains = ranks or Ranks(), list(batch.chains)
    counts = [len(chain.positions) for chain in chains]
    found = list(torch.zeros(sum(counts)).split(counts))
    for number, indices in enumerate(pack([len(chain.token_ids) for chain in chains], max_tokens)):
        if number % ranks.size != ranks.rank:
            continue
        some = [chains[i] for i in indices]
        with torch.no_grad():
            scored = policy.score([c.token_ids for c in some], [c.positions for c in some], POLICY).logprobs.cpu()
        for index, logprobs in zip(indices, scored.split([counts[i] for i in indices]), strict=True):
            found[index] = logprobs
    every = ranks.gather(torch.cat(found)).sum(0).float()
    every += ROLLOUT_NOISE * torch.randn(every.shape, generator=torch.Generator().manual_seed(0))
    chains = [replace(chain, rollout_logprobs=part) for chain, part in zip(chains, every.split(counts), strict=True)]
    return replace(batch, chains=tuple(chains))
