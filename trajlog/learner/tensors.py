"""The arrays that one optimizer step consumes, by name, and their digests: what train_step.tensor_digests proves. Pure.

C chains with a trained token, N responses (all sealed members), A anchor examples; arrays of varying length lie end to
end, their lengths beside them:

token_ids int64 [sum T], chain_lengths int64 [C]: the token sequences;
positions int64 [sum n], chain_positions int64 [C]: trained positions within each chain, which are the loss mask;
rollout_logprobs float32 [sum n], at the positions; response int64 [C]; microbatch int64 [C], as packed;
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
from trajlog.learner.batch import StepBatch
from trajlog.learner.examples import Example
from trajlog.learner.packing import pack


def step_tensors(
    batch: StepBatch, anchors: Sequence[Example], algorithm: Algorithm, config: LearnerConfig
) -> dict[str, Tensor]:
    """All arrays of a step, in the order above."""
    lengths = [len(chain.token_ids) for chain in batch.chains]
    microbatch = [0] * len(lengths)
    for number, indices in enumerate(pack(lengths, config.max_tokens_per_microbatch)):
        for index in indices:
            microbatch[index] = number
    return {
        "token_ids": _joined([chain.token_ids for chain in batch.chains]),
        "chain_lengths": torch.tensor(lengths, dtype=torch.int64),
        "positions": _joined([chain.positions for chain in batch.chains]),
        "chain_positions": torch.tensor([len(chain.positions) for chain in batch.chains], dtype=torch.int64),
        "rollout_logprobs": _joined([chain.rollout_logprobs for chain in batch.chains], torch.float32),
        "response": torch.tensor([chain.response for chain in batch.chains], dtype=torch.int64),
        "microbatch": torch.tensor(microbatch, dtype=torch.int64),
        "advantages": batch.advantages,
        "group": batch.group,
        "num_tokens": batch.num_tokens,
        "token_weights": algorithm.token_weights(batch.num_tokens, batch.group).to(torch.float32),
        "anchor_token_ids": _joined([example.token_ids for example in anchors]),
        "anchor_lengths": torch.tensor([len(example.token_ids) for example in anchors], dtype=torch.int64),
        "anchor_positions": _joined([example.positions for example in anchors]),
        "anchor_num_positions": torch.tensor([len(example.positions) for example in anchors], dtype=torch.int64),
    }


def tensor_digests(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Per array, SHA-256 (hex) over its type and shape as text and its values as little-endian bytes.

    >>> list(tensor_digests({"num_tokens": torch.tensor([7])}).values())[0][:16]
    '9b8670f4df2a4daa'
    """
    digests = {}
    for name, tensor in tensors.items():
        array = tensor.detach().cpu().contiguous().numpy()
        digest = hashlib.sha256(f"{array.dtype.name}{list(array.shape)}".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
        digests[name] = digest.hexdigest()
    return digests


def _joined(parts: Sequence[Tensor], dtype: torch.dtype = torch.int64) -> Tensor:
    return torch.cat(list(parts)) if parts else torch.zeros(0, dtype=dtype)
