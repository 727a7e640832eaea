"""A beginning that documents share is computed once, and everything else is as if it had been computed for each."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.cudnn_ops import CudnnOps
from tests.learner.test_qwen3_moe import ours, randomise, token_ids, transformers_model
from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from trajlog.config import LearnerConfig, RunConfig
from trajlog.errors import ConfigError
from trajlog.kernels.attention import CudnnAttention, SdpaAttention
from trajlog.learner import sharing
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import StepBatch, TrainChain, by_group, microbatches
from trajlog.learner.examples import Example
from trajlog.learner.gradients import accumulate_cloning_gradients
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.tensors import batch_of, batch_tensors, step_tensors, tensor_digests
from trajlog.learner.update import update

PREFIX, RESTS = 6, [5, 1, 7]


def both(model, prefix, rests, **more):
    """States and all adapter gradients of one loss, with the prefix before each document, and with it computed once.

    The loss is on the rests' states and on the prefix's, of the first document where there are several.
    """
    ids = token_ids(prefix + sum(rests))
    first, *others = ids.split([prefix, *rests])
    alone = torch.cat([torch.cat([first, other]) for other in others])
    pull = torch.randn(len(ids), model.shape.hidden_size, generator=torch.Generator().manual_seed(7))
    pull_first, *pull_others = pull.split([prefix, *rests])
    nothing = torch.zeros_like(pull_first)
    pull_alone = torch.cat([p for i, o in enumerate(pull_others) for p in (nothing if i else pull_first, o)])
    parameters = list(model.lora.parameters("policy").values())
    want = model(alone, [prefix + n for n in rests], "policy").states
    want_grads = torch.autograd.grad(want, parameters, pull_alone)
    want = torch.cat([want[:prefix], *(part[prefix:] for part in want.split([prefix + n for n in rests]))])
    got = model(ids, [prefix, *rests], "policy", shared_prefix=True, **more).states
    return (want, want_grads), (got, torch.autograd.grad(got, parameters, pull))


def close(model, wanted, found):
    torch.testing.assert_close(found[0], wanted[0], rtol=1e-4, atol=1e-4)
    for key, a, b in zip(model.lora.parameters("policy"), found[1], wanted[1], strict=True):
        largest = float(b.abs().max())
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5 * largest, msg=lambda m, k=key: f"{k}: {m}")
        assert largest > 0, key


@settings(max_examples=15, deadline=None)
@given(prefix=st.integers(1, 12), rests=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_states_and_every_adapter_gradient_are_those_of_each_document_with_the_prefix_before_it(prefix, rests):
    model = ours(transformers_model())
    close(model, *both(model, prefix, rests))


@pytest.mark.parametrize("backend", [SdpaAttention(), CudnnAttention()])
@pytest.mark.parametrize("recompute", ["none", "experts", "around_attention", "layer"])
def test_every_way_to_recompute_works_with_a_shared_prefix(recompute, backend, monkeypatch):
    CudnnOps.install(monkeypatch)
    model = ours(transformers_model())
    wanted, _ = both(model, PREFIX, RESTS)
    model.recompute, model.attention = recompute, backend
    close(model, wanted, both(model, PREFIX, RESTS)[1])


def test_a_shared_token_is_routed_once():
    model = ours(transformers_model())
    ids = token_ids(PREFIX + sum(RESTS))
    routed = model(ids, [PREFIX, *RESTS], "policy", shared_prefix=True).routed_experts
    assert [layer.shape for layer in routed] == [(len(ids), 2)] * 2
    again = torch.stack(routed, dim=1)
    wanted, found = both(model, PREFIX, RESTS, routed_experts=again)
    close(model, wanted, found)


EVERY = (*TARGETS, "gate_proj", "up_proj", "down_proj")
ALGORITHM = ALGORITHMS["weighted_grpo"]


def policy_model(share_prefix: bool) -> PolicyModel:
    policy = PolicyModel(tiny_qwen3_moe(), EVERY, share_prefix=share_prefix)
    for seed, name in enumerate((POLICY, REFERENCE)):
        policy.lora.add(name, rank=4, alpha=8.0, seed=seed)
        randomise(policy.model, name, seed)
    policy.lora.train_only(POLICY)
    return policy


class Keep(torch.optim.SGD):
    """Moves nothing, and keeps every gradient by name."""

    def __init__(self, policy):
        self.named = policy.lora.parameters(POLICY)
        super().__init__(list(self.named.values()), lr=0.0)

    def step(self, closure=None):
        self.seen = {name: parameter.grad.clone() for name, parameter in self.named.items()}


def trained(batch, share_prefix, **settings):
    """Metrics, gradients by name, and the tokens of each forward pass with the loss's gradient."""
    policy, passes = policy_model(share_prefix), []
    model = policy.model
    forward = model.forward

    def counted(token_ids, lengths, adapter, *rest, **more):
        passes.append((len(token_ids), adapter, torch.is_grad_enabled()))
        return forward(token_ids, lengths, adapter, *rest, **more)

    model.forward = counted
    keep = Keep(policy)
    config = LearnerConfig(share_prefix=share_prefix, max_grad_norm=1e9, **settings)
    done = update(policy, keep, batch, ALGORITHM, config, kl_coef=0.2)
    return done.metrics, keep.seen, [n for n, adapter, grad in passes if adapter == POLICY and grad]


MEMBER = st.lists(st.integers(2, 9), min_size=1, max_size=2)
GROUP = st.tuples(st.integers(0, 14), st.lists(MEMBER, min_size=2, max_size=4))


def make_batch(groups, seed, odd=False) -> StepBatch:
    """Per group a common beginning and the lengths behind it, per member one or two chains; `odd`: one has another."""
    generator = torch.Generator().manual_seed(seed)
    chains, group_of, counts = [], [], []
    for number, (prefix, members) in enumerate(groups):
        beginning = torch.randint(2, 512, (prefix,), generator=generator)
        for lengths in members:
            for length in lengths:
                behind = torch.randint(2, 512, (length,), generator=generator)
                ids = torch.cat([beginning, behind])
                if odd and not chains:
                    ids = torch.randint(2, 512, (len(ids),), generator=generator)
                count = int(torch.randint(1, length, (), generator=generator))
                places = torch.randperm(length - 1, generator=generator)[:count].sort().values + prefix + 1
                rollout = -6.0 + 0.3 * torch.randn(count, generator=generator)
                chains.append(TrainChain(ids, places, rollout, len(group_of)))
            counts.append(sum(len(c.positions) for c in chains if c.response == len(group_of)))
            group_of.append(number)
    advantages = torch.randn(len(group_of), generator=generator)
    return StepBatch(tuple(chains), advantages, torch.tensor(group_of), torch.tensor(counts), 0, 0)


@settings(max_examples=20, deadline=None)
@given(
    groups=st.lists(GROUP, min_size=1, max_size=3),
    seed=st.integers(0, 99),
    max_tokens=st.sampled_from([24, 40, 200]),
    odd=st.booleans(),
)
def test_the_loss_and_every_adapter_gradient_are_those_without_sharing(groups, seed, max_tokens, odd):
    batch = make_batch(groups, seed, odd)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing, "MULTIPLE", 1)
        alone, alone_grads, _ = trained(batch, False, max_tokens_per_microbatch=max_tokens)
        shared, shared_grads, passes = trained(batch, True, max_tokens_per_microbatch=max_tokens)
    assert max(passes) <= max_tokens
    assert shared["num_microbatches"] == len(passes) <= alone["num_microbatches"]
    same = [name for name in alone if name not in ("num_microbatches", "used_token_fraction", "rank_balance")]
    assert {n: shared[n] for n in same} == pytest.approx({n: alone[n] for n in same}, rel=2e-4, abs=1e-6)
    assert shared["num_tokens"] == int(batch.num_tokens.sum())
    for name, want in alone_grads.items():
        torch.testing.assert_close(
            shared_grads[name], want, rtol=1e-3, atol=1e-4 * float(want.abs().max()), msg=lambda m, n=name: f"{n}: {m}"
        )


def test_a_groups_prompt_is_computed_once_in_each_microbatch(monkeypatch):
    monkeypatch.setattr(sharing, "MULTIPLE", 4)
    batch = make_batch([(14, [[5], [6], [7], [8]]), (3, [[5], [5]])], seed=1)
    metrics, _, passes = trained(batch, True, max_tokens_per_microbatch=32)
    # 12 of the first prompt's 14 tokens are shared, in two microbatches; of the second's 3 too few are
    assert sorted(passes) == sorted([12 + (2 + 8) + (2 + 5), 12 + (2 + 7) + (2 + 6), 8 + 8])
    assert metrics["used_token_fraction"] == (19 + 20 + 21 + 22 + 8 + 8) / sum(passes)
    alone, _, passes = trained(batch, False, max_tokens_per_microbatch=32)
    assert sorted(passes) == [16, 19, 20, 21, 22]
    assert alone["used_token_fraction"] == 1.0


def test_supervised_examples_that_begin_alike_share_too(monkeypatch):
    monkeypatch.setattr(sharing, "MULTIPLE", 1)
    examples = [Example(c.token_ids, c.positions) for c in make_batch([(14, [[5], [9], [7]])], seed=3).chains]
    losses, gradients = [], []
    for share_prefix in (False, True):
        policy = policy_model(share_prefix)
        losses.append(accumulate_cloning_gradients(policy, examples, 64, 0.5))
        gradients.append([p.grad for p in policy.lora.parameters(POLICY).values()])
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)
    for want, got in zip(*gradients, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4 * float(want.abs().max()))


def test_microbatches_and_digests_come_again_from_the_batch_and_the_settings(monkeypatch):
    monkeypatch.setattr(sharing, "MULTIPLE", 1)
    batch = make_batch([(14, [[5], [6], [7], [8]]), (9, [[3], [5, 9]])], seed=2)
    digests = {}
    for share_prefix in (False, True):
        config = LearnerConfig(share_prefix=share_prefix, max_tokens_per_microbatch=40)
        first = step_tensors(batch, [], ALGORITHM, config)
        again = batch_of(batch_tensors(batch), num_unscored=0, num_stale_turns=0, overlong_outcomes=())
        digests[share_prefix] = tensor_digests(first)
        assert tensor_digests(step_tensors(again, [], ALGORITHM, config)) == digests[share_prefix]
        used = [len(microbatches(part.chains, 40, share_prefix)) for part in by_group(batch)]
        assert int(first["microbatch"].max()) + 1 == sum(used)
    assert [name for name in digests[True] if digests[True][name] != digests[False][name]] == ["microbatch"]


def test_dense_models_do_not_share():
    with pytest.raises(ConfigError, match=r"learner\.share_prefix true is for Qwen3-MoE models, .* set it to false"):
        PolicyModel(tiny_qwen3(), TARGETS, share_prefix=True)


def test_a_run_says_whether_prompts_are_shared(tmp_path):
    tiny_qwen3_moe().save_pretrained(tmp_path)
    ids = torch.cat([torch.arange(2, 202), torch.tensor([7])])
    seen = []
    for share_prefix in (False, True):
        run = RunConfig(run_id="a", learner=LearnerConfig(share_prefix=share_prefix, lora_targets=EVERY))
        policy = PolicyModel.of_run(tmp_path, run)
        policy.model.register_forward_pre_hook(lambda module, args: seen.append(list(args[1])))
        policy.score([ids, ids], [torch.tensor([200])] * 2, None)
    assert seen == [[201, 201], [128, 73, 73]]
