"""The arrays that one optimizer step consumes, by name, and their digests: what train_step.tensor_digests proves. Pure.

C chains with a trained token, N responses (all sealed members), A anchor examples; arrays of varying length lie end to
end, their lengths beside them:

token_ids int64 [sum T], chain_lengths int64 [C]: the token sequences;
positions int64 [sum n], chain_positions int64 [C]: trained positions within each chain, which are the loss mask;
rollout_logprobs float32 [sum n], at the positions; response int64 [C]; microbatch int64 [C], as one rank
packs them, group by group (several ranks pack so that their loads are even, dealing.py);
with router replay, routed_experts int16 [sum of routed_lengths, layers, K] (recorded_routing.py) and routed_lengths
int64 [C]: T of a chain of which anything was recorded, else 0; both are left out when no chain has any;
advantages float32 [N], length weight included; group int64 [N]; num_tokens int64 [N]; token_weights float32 [N];
anchor_token_ids, anchor_lengths, anchor_positions, anchor_num_positions: the behaviour-cloning examples, [0] without.

Scalars (kl_coef, learning rate, clips) are in the event's metrics and in the run's settings.
"""

import hashlib
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner.algorithms import Algorithm
from trajlog.learner.batch import StepBatch, TrainChain, microbatches
from trajlog.learner.examples import Example


def step_tensors(
    batch: StepBatch, anchors: Sequence[Example], algorithm: Algorithm, config: LearnerConfig
) -> dict[str, Tensor]:
    """All arrays of a step, in the order above."""
    found = batch_tensors(batch)
    microbatch = torch.zeros(len(batch.chains), dtype=torch.int64)
    number = 0
    for group in range(int(batch.group.max()) + 1 if len(batch.group) else 0):
        own = [i for i, chain in enumerate(batch.chains) if batch.group[chain.response] == group]
        chains = [batch.chains[i] for i in own]
        for indices in microbatches(chains, config.max_tokens_per_microbatch, config.share_prefix):
            microbatch[[own[i] for i in indices]] = number
            number += 1
    return {
        **{name: found[name] for name in _CHAINS},
        "microbatch": microbatch,
        **{name: found[name] for name in _ROUTING if name in found},
        **{name: found[name] for name in _RESPONSES},
        "token_weights": algorithm.token_weights(batch.num_tokens, batch.group).to(torch.float32),
        **anchor_tensors(anchors),
    }


_CHAINS = ("token_ids", "chain_lengths", "positions", "chain_positions", "rollout_logprobs", "response")
_ROUTING = ("routed_experts", "routed_lengths")
_RESPONSES = ("advantages", "group", "num_tokens")


def batch_tensors(batch: StepBatch) -> dict[str, Tensor]:
    """A batch as arrays; `batch_of` makes it again."""
    return {
        "token_ids": _joined([chain.token_ids for chain in batch.chains]),
        "chain_lengths": torch.tensor([len(chain.token_ids) for chain in batch.chains], dtype=torch.int64),
        "positions": _joined([chain.positions for chain in batch.chains]),
        "chain_positions": torch.tensor([len(chain.positions) for chain in batch.chains], dtype=torch.int64),
        "rollout_logprobs": _joined([chain.rollout_logprobs for chain in batch.chains], torch.float32),
        "response": torch.tensor([chain.response for chain in batch.chains], dtype=torch.int64),
        "advantages": batch.advantages,
        "group": batch.group,
        "num_tokens": batch.num_tokens,
        **_routing_tensors([chain.routed_experts for chain in batch.chains]),
    }


def batch_of(
    tensors: Mapping[str, Tensor], *, num_unscored: int, num_stale_turns: int, overlong_outcomes: Sequence[str]
) -> StepBatch:
    """The batch that `batch_tensors` was given; what it does not hold is given beside it."""
    lengths, counts = tensors["chain_lengths"].tolist(), tensors["chain_positions"].tolist()
    chains = zip(
        tensors["token_ids"].split(lengths),
        tensors["positions"].split(counts),
        tensors["rollout_logprobs"].split(counts),
        tensors["response"].tolist(),
        _routing_of(tensors, len(lengths)),
        strict=True,
    )
    return StepBatch(
        chains=tuple(TrainChain(*chain) for chain in chains) if lengths else (),
        **{name: tensors[name] for name in _RESPONSES},
        num_unscored=num_unscored,
        num_stale_turns=num_stale_turns,
        overlong_outcomes=tuple(overlong_outcomes),
    )


def _routing_tensors(chains: Sequence[Tensor | None]) -> dict[str, Tensor]:
    recorded = [chain for chain in chains if chain is not None]
    if not recorded:
        return {}
    lengths = [0 if chain is None else len(chain) for chain in chains]
    return {"routed_experts": torch.cat(recorded), "routed_lengths": torch.tensor(lengths, dtype=torch.int64)}


def _routing_of(tensors: Mapping[str, Tensor], num_chains: int) -> Sequence[Tensor | None]:
    if "routed_experts" not in tensors:
        return [None] * num_chains
    parts = tensors["routed_experts"].split(tensors["routed_lengths"].tolist())
    return [part if len(part) else None for part in parts]


def anchor_tensors(anchors: Sequence[Example]) -> dict[str, Tensor]:
    """Behaviour-cloning examples as arrays; `anchors_of` makes them again."""
    return {
        "anchor_token_ids": _joined([example.token_ids for example in anchors]),
        "anchor_lengths": torch.tensor([len(example.token_ids) for example in anchors], dtype=torch.int64),
        "anchor_positions": _joined([example.positions for example in anchors]),
        "anchor_num_positions": torch.tensor([len(example.positions) for example in anchors], dtype=torch.int64),
    }


def anchors_of(tensors: Mapping[str, Tensor]) -> list[Example]:
    """The examples that `anchor_tensors` was given."""
    lengths, counts = tensors["anchor_lengths"].tolist(), tensors["anchor_num_positions"].tolist()
    if not lengths:
        return []
    parts = zip(tensors["anchor_token_ids"].split(lengths), tensors["anchor_positions"].split(counts), strict=True)
    return [Example(*part) for part in parts]


def tensor_digests(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Per array, SHA-256 (hex) over its type and shape as text and its values as little-endian bytes.

    >>> list(tensor_digests({"num_tokens": torch.tensor([7])}).values())[0][:16]
    '9b8670f4df2a4daa'
    """
    digests = {}
    for name, tensor in tensors.items():
        array = tensor.detach().cpu().contiguous().numpy()
        digest = hashlib.sha256(f"{array.dtype.name}{list(array.shape)}".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).data)
        digests[name] = digest.hexdigest()
    return digests


def _joined(parts: Sequence[Tensor], dtype: torch.dtype = torch.int64) -> Tensor:
    return torch.cat(list(parts)) if parts else torch.zeros(0, dtype=dtype)
