"""Longer packs on one GPU, and what sharing a group's common prompt saves.

    python benchmarks/learner/stretch.py                 # one H200, about four minutes
    python benchmarks/learner/stretch.py --quick         # a tiny model, also on a CPU

Packs of 32k and 64k tokens, once as one document, once as documents of at most 16k, forward and backward pass with head
and loss, every token scored. `none` keeps all that the backward pass needs; `experts` makes the mixture half again;
`layer` keeps only layer inputs. What does not fit is reported as such.

Sharing: a group's 12 trajectories begin with the same prompt. One pass over it for all would save, 11 times, its linear
work and its attention to itself, not the attention of the rest to the prompt. First calculated from the model's FLOPs
(parts/shape.py), for trajectories that fill the context and for the length mix, as if one microbatch could hold a
group. Then run: the learner's own microbatches of one group, the length mix's turns behind a common prompt of 4,096
tokens, without and with learner.share_prefix; the same chains, rollout log-probabilities and weights in one run. With
the seconds come the tokens computed, what the cost model (learner/cost.py) expects, and how far apart loss and
gradients are, beside two runs of the same kind (cuDNN's gradients repeat no bits).
"""

import argparse

import torch
from parts import lengths, shared_prompt
from parts.adapters import random_adapter
from parts.objective import POLICY, REFERENCE, backward
from parts.packs import Pack, one_pack
from parts.peft_side import base_model
from parts.product_side import EXPERTS, ProductSide
from parts.shape import QWEN3_CODER_30B_A3B, TINY, Shape, model_flops
from parts.table import Table
from parts.timing import release, timed
from whole_step import scored

from trajlog.config import LearnerConfig
from trajlog.learner.policy import PolicyModel

PROMPTS = (1_281, 2_048, 4_096, 8_192)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    arguments = parser.parse_args()
    shape = TINY if arguments.quick else QWEN3_CODER_30B_A3B
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    context = 64 if arguments.quick else lengths.CONTEXT
    table = Table(shape)
    sharing(table)
    policy = PolicyModel(base_model(shape, device, dtype), EXPERTS)
    side = ProductSide(policy.model, "trajlog")
    for seed, adapter in ((1, POLICY), (2, REFERENCE)):
        side.load(adapter, random_adapter(shape, device, dtype, seed))
    release()
    scale = 1 / 16 if arguments.quick else 1.0
    batch = shared_prompt.group(shape, scale, members=4 if arguments.quick else lengths.GROUP_SIZE)
    config = LearnerConfig(max_tokens_per_microbatch=round(lengths.CONTEXT * scale))
    batch = scored(policy, batch, config, "group with a common prompt", table)
    for times, recompute in ((1, "none"), (2, "experts")):
        policy.model.recompute = recompute
        shared_prompt.run(policy, batch, times * config.max_tokens_per_microbatch, table)
    for times in (2, 4):
        table.title(f"{times} x {context} tokens")
        for form, documents in (("one document", [times * context]), ("documents", [context] * times)):
            pack = one_pack(documents, shape.vocabulary, device)
            for recompute in ("none", "experts", "layer"):
                long_pack(side, f"{times * context // 1024}k, {form}", recompute, pack, table)
    print(table.last_line())


def long_pack(side: ProductSide, form: str, recompute: str, pack: Pack, table: Table) -> None:
    side.model.recompute = recompute
    try:
        table.add(form, f"recompute {recompute}", pack, timed(lambda: backward(side, pack), repeats=2))
    except torch.OutOfMemoryError:
        table.fact(f"{form}, recompute {recompute}", "does not fit")
    finally:
        for parameter in side.parameters():
            parameter.grad = None
        release()


def sharing(table: Table) -> None:
    """FLOPs of a group without sharing over those with it: all work, and linear work alone."""
    shape = QWEN3_CODER_30B_A3B
    full = [lengths.CONTEXT] * lengths.GROUP_SIZE
    mix = [t.num_tokens for t in lengths.realistic().trajectories]
    for prompt in PROMPTS:
        table.fact(f"shared prompt of {prompt}, trajectories of {lengths.CONTEXT}", _saving(shape, [full], prompt))
    groups = [mix[i : i + lengths.GROUP_SIZE] for i in range(0, len(mix), lengths.GROUP_SIZE)]
    for prompt in PROMPTS[:1]:
        table.fact(f"shared prompt of {prompt}, length mix", _saving(shape, groups, prompt))


def _saving(shape: Shape, groups: list[list[int]], prompt: int) -> str:
    """No token of the prompt is scored; a head is counted for 37% of the rest on both sides."""
    tokens = sum(map(sum, groups))
    scored = round(lengths.GENERATED_SHARE * sum(n - prompt for group in groups for n in group))
    documents = [n for group in groups for n in group]
    again = sum(len(group) - 1 for group in groups)
    alone = model_flops(shape, documents, scored)
    saved = again * model_flops(shape, [prompt], 0)
    linear = tokens / (tokens - again * prompt)
    return f"{alone / (alone - saved):.2f} times fewer FLOPs, {linear:.2f} linear"


if __name__ == "__main__":
    main()
