import math

import pytest
import torch

from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from trajlog.config import LearnerConfig
from trajlog.errors import ModelError
from trajlog.kernels.logprobs import selected_logprobs_reference
from trajlog.learner import loss
from trajlog.learner import update as update_module
from trajlog.learner.algorithms import ALGORITHMS, TokenTerms
from trajlog.learner.batch import StepBatch, TrainChain, by_group
from trajlog.learner.examples import Example
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.update import Step, make_optimizer, update

CONFIG = LearnerConfig(learning_rate=1e-2, length_alpha=0.5, max_tokens_per_microbatch=64)


def policy_model(build=tiny_qwen3, noise=0.1, targets=TARGETS) -> PolicyModel:
    policy = PolicyModel(build(), targets)
    add_adapters(policy, noise)
    return policy


def add_adapters(policy: PolicyModel, noise=0.1) -> None:
    for seed, name in enumerate((POLICY, REFERENCE)):
        policy.lora.add(name, rank=4, alpha=8.0, seed=seed)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for parameter in policy.lora.parameters(name).values():
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * noise)
    policy.lora.train_only(POLICY)


def batch(seed=0) -> StepBatch:
    """Two groups of two; response 1 has two chains, response 3 no trained token."""
    generator = torch.Generator().manual_seed(seed)
    chains = []
    for response, length, positions in [(0, 20, [5, 6, 7, 12]), (1, 31, [9, 10]), (1, 40, [1, 39]), (2, 11, [10])]:
        ids = torch.randint(2, 512, (length,), generator=generator)
        rollout = -6.0 + 0.3 * torch.randn(len(positions), generator=generator)
        chains.append(TrainChain(ids, torch.tensor(positions), rollout, response))
    return StepBatch(
        chains=tuple(chains),
        advantages=torch.tensor([1.0, -0.5, 0.7, -0.7]),
        group=torch.tensor([0, 0, 1, 1]),
        num_tokens=torch.tensor([4, 4, 1, 0]),
        num_unscored=0,
        num_stale_turns=0,
    )


def plain_logprobs(policy, chain, adapter):
    """From the model's own logits of the one sequence: no packing, no chunks."""
    hidden = policy.states(chain.token_ids, [len(chain.token_ids)], adapter)
    tokens = chain.token_ids[chain.positions]
    return selected_logprobs_reference(hidden[chain.positions - 1], policy.head, tokens).logprobs


def plain_loss(policy, data, algorithm, config, kl_coef):
    """The whole loss in nested means, response by response: slow and obvious."""
    groups = []
    for group in range(2):
        responses = []
        for i in (data.group == group).nonzero().flatten().tolist():
            own = [c for c in data.chains if c.response == i]
            if not own:
                continue
            logprobs = torch.cat([plain_logprobs(policy, c, POLICY) for c in own])
            rollout = torch.cat([c.rollout_logprobs for c in own])
            mean = loss.log_ratio(logprobs, rollout).mean().detach()
            n = len(logprobs)
            terms = TokenTerms(logprobs, rollout, data.advantages[i].expand(n), mean.expand(n))
            token = algorithm.token_loss(terms, config)
            if kl_coef:
                with torch.no_grad():
                    reference = torch.cat([plain_logprobs(policy, c, REFERENCE) for c in own])
                token = token + kl_coef * loss.k3(reference - logprobs)
            responses.append(token.mean())
        groups.append(torch.stack(responses).mean())
    return torch.stack(groups).mean()


def gradients(policy):
    return torch.cat([p.grad.flatten() for p in policy.lora.parameters(POLICY).values()])


class Recording(torch.optim.SGD):
    """Keeps the gradients that a step arrives with, in `seen`, and moves nothing."""

    def __init__(self, policy):
        super().__init__(list(policy.lora.parameters(POLICY).values()), lr=1.0)

    def step(self, closure=None):
        self.seen = torch.cat([p.grad.flatten() for g in self.param_groups for p in g["params"]]).clone()


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe])
def test_scores_of_several_sequences_equal_each_alone(build):
    policy, data = policy_model(build), batch()
    with torch.no_grad():
        together = policy.score([c.token_ids for c in data.chains], [c.positions for c in data.chains], POLICY)
        alone = torch.cat([plain_logprobs(policy, c, POLICY) for c in data.chains])
    torch.testing.assert_close(together.logprobs, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["grpo", "weighted_grpo", "tis"])
@pytest.mark.parametrize("max_tokens", [40, 64, 1000])
@pytest.mark.parametrize("kl_coef", [0.0, 0.3])
def test_loss_and_gradients_equal_the_plain_nested_means_whatever_the_packing(name, max_tokens, kl_coef):
    data, algorithm = batch(), ALGORITHMS[name]
    config = LearnerConfig(length_alpha=0.5, max_tokens_per_microbatch=max_tokens, max_grad_norm=1e9)
    policy = policy_model()
    recording = Recording(policy)
    done = update(policy, recording, data, algorithm, config, kl_coef=kl_coef)
    policy = policy_model()
    want = plain_loss(policy, data, algorithm, config, kl_coef)
    want.backward()
    assert done.metrics["loss"] == pytest.approx(want.item(), abs=1e-5)
    torch.testing.assert_close(recording.seen, gradients(policy), rtol=1e-3, atol=2e-6)
    assert recording.seen.abs().max() > 1e-4


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe])
def test_a_step_raises_what_did_well_and_lowers_what_did_badly(build):
    policy, data = policy_model(build), batch()
    on_policy = []
    with torch.no_grad():
        for c in data.chains:
            rollout = policy.score([c.token_ids], [c.positions], POLICY).logprobs
            on_policy.append(TrainChain(c.token_ids, c.positions, rollout, c.response))
    data = StepBatch(tuple(on_policy), data.advantages, data.group, data.num_tokens, 0, 0)
    optimizer = make_optimizer(list(policy.lora.parameters(POLICY).values()), 1e-2, 0.0)
    reference = policy.lora.export(REFERENCE)
    done = update(policy, optimizer, data, ALGORITHMS["weighted_grpo"], CONFIG)
    assert done.applied
    assert done.metrics["mismatch_kl"] == pytest.approx(0.0, abs=1e-6)
    assert done.metrics["ratio_mean"] == pytest.approx(1.0, abs=1e-5)
    assert done.metrics["clip_fraction"] == 0.0
    assert done.metrics["num_tokens"] == 9
    assert done.metrics["num_responses"] == 3
    with torch.no_grad():
        for chain in data.chains:
            change = policy.score([chain.token_ids], [chain.positions], POLICY).logprobs - chain.rollout_logprobs
            assert change.mean() * data.advantages[chain.response] > 0
    assert all(
        torch.equal(a, b) for a, b in zip(reference.values(), policy.lora.export(REFERENCE).values(), strict=True)
    )


def test_on_policy_loss_by_hand():
    """Ratio one everywhere: the loss is minus the mean over groups of the mean over responses of the advantage."""
    policy, data = policy_model(), batch()
    with torch.no_grad():
        chains = tuple(
            TrainChain(
                c.token_ids, c.positions, policy.score([c.token_ids], [c.positions], POLICY).logprobs, c.response
            )
            for c in data.chains
        )
    data = StepBatch(chains, data.advantages, data.group, data.num_tokens, 0, 0)
    done = update(policy, Recording(policy), data, ALGORITHMS["weighted_grpo"], CONFIG)
    assert done.metrics["policy_loss"] == pytest.approx(-((1.0 - 0.5) / 2 + 0.7) / 2, abs=1e-4)


def test_cloning_anchor_by_hand_and_its_weight():
    policy = policy_model()
    ids = torch.tensor([3, 4, 5, 6])
    examples = [Example(ids, torch.tensor([1, 3])), Example(ids, torch.tensor([2]))]
    with torch.no_grad():
        logprobs = policy.score([ids], [torch.tensor([1, 2, 3])], POLICY).logprobs.tolist()
    expected = -((logprobs[0] + logprobs[2]) / 2 + logprobs[1]) / 2
    config = LearnerConfig(bc_coef=0.5, learning_rate=1e-6)
    done = [
        update(
            policy,
            make_optimizer(list(policy.lora.parameters(POLICY).values()), 1e-6, 0.0),
            batch(),
            ALGORITHMS["weighted_grpo"],
            config,
            anchors=anchors,
        ).metrics
        for anchors in ([], examples)
    ]
    assert "bc_loss" not in done[0]
    assert done[1]["bc_loss"] == pytest.approx(expected, rel=1e-4)
    assert done[1]["loss"] - done[0]["loss"] == pytest.approx(0.5 * expected, rel=1e-2)


def test_a_loss_that_is_not_finite_moves_nothing():
    policy, data = policy_model(), batch()
    before = policy.lora.export(POLICY)
    data.advantages[0] = math.inf
    optimizer = make_optimizer(list(policy.lora.parameters(POLICY).values()), 1e-2, 0.0)
    done = update(policy, optimizer, data, ALGORITHMS["weighted_grpo"], CONFIG)
    assert not done.applied
    assert done.at_fault == (0,)
    assert all(math.isfinite(v) for v in done.metrics.values())
    assert all(torch.equal(before[k], v) for k, v in policy.lora.export(POLICY).items())


def test_groups_are_counted_as_added_when_one_has_no_trained_token():
    first, second = by_group(batch())
    second.advantages[0] = math.inf
    empty = StepBatch((), torch.tensor([0.5, -0.5]), torch.tensor([0, 0]), torch.tensor([0, 0]), 2, 0)
    policy = policy_model()
    step = Step(policy, Recording(policy), ALGORITHMS["weighted_grpo"], CONFIG)
    for part in (empty, first, second):
        step.add(part)
    assert step.finish().at_fault == (2,)


def test_anchors_that_are_not_finite_are_an_error(monkeypatch):
    policy = policy_model()
    before = policy.lora.export(POLICY)
    optimizer = make_optimizer(list(policy.lora.parameters(POLICY).values()), 1e-2, 0.0)
    monkeypatch.setattr(update_module, "clone", lambda *rest: torch.tensor(math.nan))
    anchors = [Example(torch.tensor([3, 4]), torch.tensor([1]), "task-7")]
    config = LearnerConfig(bc_coef=0.5, max_tokens_per_microbatch=64)
    with pytest.raises(ModelError, match=r"behaviour-cloning examples is not finite.* task-7"):
        update(policy, optimizer, batch(), ALGORITHMS["weighted_grpo"], config, anchors=anchors)
    assert all(torch.equal(before[k], v) for k, v in policy.lora.export(POLICY).items())


def test_no_kl_term_no_reference():
    policy = policy_model()
    policy.lora.remove(REFERENCE)
    assert "kl" not in update(policy, Recording(policy), batch(), ALGORITHMS["grpo"], CONFIG).metrics


@pytest.mark.parametrize("kl_coef", [0.0, 0.3])
def test_groups_fed_one_by_one_give_the_same_bits_as_fed_together(kl_coef):
    kept, metrics = [], []
    for parts in ([batch()], by_group(batch())):
        policy = policy_model()
        recording = Recording(policy)
        step = Step(policy, recording, ALGORITHMS["weighted_grpo"], CONFIG, kl_coef)
        for part in parts:
            step.add(part)
        metrics.append(step.finish().metrics)
        kept.append(recording.seen)
    assert torch.equal(*kept)
    assert metrics[0] == metrics[1]


def test_a_group_without_a_trained_token_is_in_no_mean():
    data = batch()
    step = [
        StepBatch(data.chains[:3], data.advantages[:2], data.group[:2], data.num_tokens[:2], 0, 0),
        StepBatch((), torch.tensor([0.5, -0.5]), torch.tensor([0, 0]), torch.tensor([0, 0]), 2, 0),
    ]
    policies = [policy_model(), policy_model()]
    recordings = [Recording(policy) for policy in policies]
    alone = update(policies[0], recordings[0], step[0], ALGORITHMS["weighted_grpo"], CONFIG)
    both = Step(policies[1], recordings[1], ALGORITHMS["weighted_grpo"], CONFIG)
    for part in step:
        both.add(part)
    assert both.finish().metrics == alone.metrics | {"num_unscored_tokens": 2.0}
    assert torch.equal(recordings[0].seen, recordings[1].seen)


def test_tokens_computed_count_the_pass_for_responses_in_several_microbatches():
    """Response 1 has chains of 31 and 40 tokens: apart within 40, so both are computed twice; together within 80."""
    used = []
    for max_tokens in (40, 80):
        config = LearnerConfig(max_tokens_per_microbatch=max_tokens)
        policy = policy_model()
        used.append(update(policy, Recording(policy), batch(), ALGORITHMS["grpo"], config).metrics)
    assert used[0]["used_token_fraction"] == (20 + 31 + 40 + 11) / (20 + 2 * (31 + 40) + 11)
    assert used[1]["used_token_fraction"] == 1.0
    assert [m["num_microbatches"] for m in used] == [4.0, 3.0]


def test_a_first_update_that_no_trained_token_moves_is_an_error():
    policy = policy_model()
    for layer in policy.lora.layers.values():
        layer.scaling[POLICY] = 0.0
    optimizer = make_optimizer(policy.lora.train_only(POLICY), 1e-2, 0.0)
    with pytest.raises(ModelError, match=r"every gradient of the first update is zero .* learner\.lora_targets"):
        update(policy, optimizer, batch(), ALGORITHMS["weighted_grpo"], CONFIG)
    flat = batch()
    flat.advantages.zero_()
    assert update(policy, optimizer, flat, ALGORITHMS["weighted_grpo"], CONFIG).applied


def test_a_model_with_capped_logits_is_refused():
    class Capped(type(tiny_qwen3())):
        def forward(self, *args, **kwargs):
            out = super().forward(*args, **kwargs)
            out.logits = 0.01 * torch.tanh(out.logits)
            return out

    model = tiny_qwen3()
    with torch.no_grad():
        model.model.embed_tokens.weight.mul_(50)
    model.__class__ = Capped
    with pytest.raises(ModelError, match="Capped cannot be trained"):
        PolicyModel(model, TARGETS)
