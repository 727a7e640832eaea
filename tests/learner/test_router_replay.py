"""What the model and the update do with recorded routing."""

from dataclasses import replace

import pytest
import torch

from tests.learner.routing import drawn
from tests.learner.test_qwen3_moe import ALL, LENGTHS, ours, states_and_gradients, token_ids, transformers_model
from trajlog.config import LearnerConfig
from trajlog.kernels.logprobs import selected_logprobs_reference
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import StepBatch, TrainChain, by_group, joined
from trajlog.learner.gradients import SUMS, accumulate_policy_gradients
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.recorded_routing import UNRECORDED
from trajlog.learner.tensors import batch_of, batch_tensors, step_tensors, tensor_digests
from trajlog.learner.update import make_optimizer, update

CONFIG = LearnerConfig(learning_rate=1e-2, max_tokens_per_microbatch=64)
GRPO = ALGORITHMS["grpo"]
CHAINS = [(20, [5, 6, 7, 12]), (31, [9, 10, 30]), (40, [1, 39]), (11, [10])]


def counter():
    return torch.zeros(2, dtype=torch.int64)


def policy_model(hf) -> PolicyModel:
    """Fresh adapters: both change nothing."""
    policy = PolicyModel(hf, ALL)
    for name in (POLICY, REFERENCE):
        policy.lora.add(name, rank=2, alpha=4.0)
    policy.lora.train_only(POLICY)
    return policy


def sampled(noise: float = 0.02) -> StepBatch:
    """Two responses by a sampler that is the learner's model but for `noise` on its routers, and its routing."""
    hf = transformers_model()
    generator = torch.Generator().manual_seed(1)
    for layer in hf.model.layers:
        layer.mlp.gate.weight += noise * torch.randn(layer.mlp.gate.weight.shape, generator=generator)
    sampler = policy_model(hf)
    chains = []
    for number, (length, positions) in enumerate(CHAINS):
        ids, chosen = token_ids(length, seed=number), torch.tensor(positions)
        with torch.no_grad():
            routes = torch.stack(sampler.model(ids, [length], None).routed_experts, dim=1).to(torch.int16)
            rollout = sampler.score([ids], [chosen], None).logprobs
        routes[-1] = UNRECORDED
        chains.append(TrainChain(ids, chosen, rollout, number // 2, routes))
    return StepBatch(
        chains=tuple(chains),
        advantages=torch.tensor([1.0, -1.0]),
        group=torch.tensor([0, 0]),
        num_tokens=torch.tensor([7, 3]),
        num_unscored=0,
        num_stale_turns=0,
    )


def without(batch: StepBatch) -> StepBatch:
    return replace(batch, chains=tuple(replace(chain, routed_experts=None) for chain in batch.chains))


def step(batch: StepBatch, kl_coef: float = 0.0) -> dict[str, float]:
    policy = policy_model(transformers_model())
    optimizer = make_optimizer(policy.lora.parameters(POLICY).values(), CONFIG.learning_rate, 0.0)
    return update(policy, optimizer, batch, GRPO, CONFIG, kl_coef=kl_coef).metrics


def test_replay_brings_the_learners_probabilities_nearer_to_the_samplers():
    batch = sampled()
    free, replayed = step(without(batch)), step(batch)
    assert free["mismatch_kl"] == pytest.approx(3.0247e-3, rel=1e-3)
    assert replayed["mismatch_kl"] == pytest.approx(4.5357e-4, rel=1e-3)
    assert replayed["routing_agreement"] == pytest.approx(177 / 196)
    assert "routing_agreement" not in free


def test_the_same_routers_agree_with_their_record_and_replay_changes_nothing():
    batch = sampled(noise=0.0)
    free, replayed = step(without(batch)), step(batch)
    assert replayed.pop("routing_agreement") == 1.0
    assert replayed == free
    assert replayed["mismatch_kl"] < 1e-12


def test_the_reference_is_scored_with_the_same_routing():
    """Of two adapters that change nothing, whatever the sampler's routers chose."""
    assert step(sampled(noise=1.0), kl_coef=0.1)["kl"] == 0.0


def test_what_is_scored_is_the_forced_forward_pass():
    policy, batch = policy_model(transformers_model()), sampled()
    chains = [replace(chain, routed_experts=drawn(len(chain.token_ids), 3)) for chain in batch.chains]
    scored = policy.score(
        [c.token_ids for c in chains],
        [c.positions for c in chains],
        POLICY,
        [c.routed_experts for c in chains],
    ).logprobs
    ids, rows = (torch.cat(parts) for parts in zip(*[(c.token_ids, c.routed_experts) for c in chains], strict=True))
    lengths = [len(c.token_ids) for c in chains]
    hidden = policy.model(ids, lengths, POLICY, routed_experts=rows.long())
    assert torch.equal(torch.stack(hidden.routed_experts, dim=1), rows.long())
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    chosen = torch.cat([c.positions + start for c, start in zip(chains, starts, strict=True)])
    expected = selected_logprobs_reference(hidden.states[chosen - 1], policy.head, ids[chosen]).logprobs
    torch.testing.assert_close(scored, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("recompute", ["none", "experts", "around_attention", "layer"])
def test_tokens_without_a_record_go_where_the_own_routers_send_them(normalised, recompute):
    model, ids = ours(transformers_model(norm_topk_prob=normalised)), token_ids()
    model.recompute = recompute
    rows = drawn(len(ids), 5)
    rows[[0, 3, 4, 9, 14]] = UNRECORDED
    agreement = counter()
    taken = torch.stack(model(ids, LENGTHS, "policy", routed_experts=rows).routed_experts, dim=1)
    partly = states_and_gradients(model, ids, LENGTHS, routed_experts=rows, agreement=agreement)
    assert torch.equal(torch.where(rows < 0, taken, rows.long()), taken)
    assert agreement[1] == 2 * 10  # counted in the first pass alone, also where a layer is made again
    whole = states_and_gradients(model, ids, LENGTHS, routed_experts=taken)
    assert torch.equal(partly[0], whole[0])
    assert all(torch.equal(a, b) for a, b in zip(partly[1], whole[1], strict=True))


def test_no_record_at_all_is_no_replay():
    model, ids, agreement = ours(transformers_model()), token_ids(), counter()
    rows = torch.full((len(ids), 2, 2), UNRECORDED, dtype=torch.int16)
    free = states_and_gradients(model, ids, LENGTHS)
    replayed = states_and_gradients(model, ids, LENGTHS, routed_experts=rows, agreement=agreement)
    assert torch.equal(free[0], replayed[0])
    assert all(torch.equal(a, b) for a, b in zip(free[1], replayed[1], strict=True))
    assert agreement.tolist() == [0, 0]


def test_agreement_counts_the_same_set_in_any_order():
    model, ids, agreement = ours(transformers_model()), token_ids(), counter()
    first = model(ids, LENGTHS, "policy").routed_experts[0]
    rows = torch.stack([first.flip(1), (first + 1) % 8], dim=1).to(torch.int16)
    own = torch.stack(model(ids, LENGTHS, "policy", rows, agreement).routed_experts, dim=1)
    assert torch.equal(own, rows.long())
    assert agreement[1] == 30
    assert 15 <= agreement[0] < 30  # all of the first layer; the second saw other states


def test_a_shared_beginning_is_routed_as_the_first_record_says():
    hf, beginning, rows = transformers_model(), token_ids(130, seed=1), drawn(150, seed=1)
    sequences = [torch.cat([beginning, token_ids(count, seed=count)]) for count in (9, 20)]
    chosen = [torch.tensor([132, 138]), torch.tensor([140])]
    first, second = rows[:139], torch.cat([rows[:128], drawn(22, seed=2)])
    other = torch.cat([drawn(128, seed=3), second[128:]])
    free, sharing = (PolicyModel(hf, ALL, share_prefix=share) for share in (False, True))
    expected, agreement = free.score(sequences, chosen, None, [first, second]).logprobs, counter()
    for record in (second, other):
        shared = sharing.score(sequences, chosen, None, [first, record], agreement).logprobs
        torch.testing.assert_close(shared, expected, rtol=0, atol=2e-5)
    assert agreement[1] == 2 * 2 * (128 + 11 + 22)
    unrecorded, known = torch.full_like(first, UNRECORDED), counter()
    expected = free.score(sequences, chosen, None, [unrecorded, second]).logprobs[-1:]
    shared = sharing.score(sequences, chosen, None, [unrecorded, second], known).logprobs[-1:]
    torch.testing.assert_close(shared, expected, rtol=0, atol=2e-5)
    assert known[1] == 2 * (128 + 22)


def test_routing_of_another_shape_is_refused():
    model, ids = ours(transformers_model()), token_ids()
    with pytest.raises(ValueError, match=r"routed_experts has shape \(15, 2, 1\), it must be \(15, 2, 2\)"):
        model(ids, LENGTHS, "policy", drawn(15, 0)[..., :1])


def test_a_chain_without_a_record_beside_one_with_it_uses_the_own_routers():
    batch = sampled(noise=1.0)
    some = replace(batch, chains=(batch.chains[0], *without(batch).chains[1:]))
    unrecorded = [torch.full_like(chain.routed_experts, UNRECORDED) for chain in batch.chains[1:]]
    spelt = [replace(c, routed_experts=rows) for c, rows in zip(batch.chains[1:], unrecorded, strict=True)]
    assert step(some) == step(replace(batch, chains=(batch.chains[0], *spelt)))
    assert step(some) != step(batch)


def test_the_sums_of_a_pass_count_the_policys_choices_and_not_the_references():
    policy, batch = policy_model(transformers_model()), sampled()
    means = torch.full((2,), float("nan"))
    sums = accumulate_policy_gradients(policy, batch, [[0, 1], [2, 3]], means, GRPO, CONFIG, kl_coef=0.1)
    assert sums[SUMS.index("routing_recorded")] == 2 * sum(length - 1 for length, _ in CHAINS)


def test_a_batch_with_routing_comes_again_from_its_tensors():
    batch = sampled()
    some = replace(batch, chains=(batch.chains[0], without(batch).chains[1], *batch.chains[2:]))
    tensors = batch_tensors(some)
    assert tensors["routed_lengths"].tolist() == [20, 0, 40, 11]
    again = batch_of(tensors, num_unscored=0, num_stale_turns=0, overlong_outcomes=())
    for chain, other in zip(some.chains, again.chains, strict=True):
        assert (chain.routed_experts is None) == (other.routed_experts is None)
        assert chain.routed_experts is None or torch.equal(chain.routed_experts, other.routed_experts)
    assert tensor_digests(batch_tensors(joined(by_group(some)))) == tensor_digests(tensors)


def test_other_routing_is_another_digest_and_none_leaves_the_digests_alone():
    batch = sampled()
    first = batch.chains[0]
    other = replace(batch, chains=(replace(first, routed_experts=drawn(20, 1)), *batch.chains[1:]))
    plain, one, two = (tensor_digests(step_tensors(b, [], GRPO, CONFIG)) for b in (without(batch), batch, other))
    assert one.keys() - plain.keys() == {"routed_experts", "routed_lengths"}
    assert {name for name in one if one[name] != two[name]} == {"routed_experts"}
    assert {name: one[name] for name in plain} == plain
