"""Random sealed groups through batching, packing, dealing and a step: every token once, and the unpacked loss."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learner.groups import chain, sealed
from trajlog.config import LearnerConfig
from trajlog.kernels.logprobs import Selected
from trajlog.learner import loss
from trajlog.learner.advantages import group_advantages, length_weights
from trajlog.learner.algorithms import ALGORITHMS, TokenTerms
from trajlog.learner.batch import build_batch, by_group
from trajlog.learner.dealing import Dealer
from trajlog.learner.policy import REFERENCE
from trajlog.learner.update import update
from trajlog.stream.staleness import judge_staleness, oldest_versions

MAX_TOKENS = 24


class SmallPolicy:
    """Log-probabilities that depend on all tokens before and on five numbers."""

    device = torch.device("cpu")

    def __init__(self):
        self.weights = torch.nn.Parameter(torch.tensor([0.3, -0.2, 0.5, 0.1, -0.4]))

    def score(self, sequences, positions, adapter, routed_experts=None, agreement=None, *, entropy=False):
        assert routed_experts is None
        self.num_tokens = sum(map(len, sequences))
        assert self.num_tokens <= MAX_TOKENS
        weights = self.weights * 0.5 if adapter == REFERENCE else self.weights
        found = [self.logprobs(s, weights)[p] for s, p in zip(sequences, positions, strict=True)]
        return Selected(torch.cat(found), torch.zeros(sum(map(len, positions))))

    def logprobs(self, sequence, weights):
        codes = sequence[:, None].float() * torch.arange(1.0, 6.0)
        before = torch.cat([torch.zeros(1, 5), torch.sin(codes).cumsum(0)[:-1]])
        return -6.0 + torch.tanh((before + torch.cos(codes)) @ weights)


class Keep(torch.optim.SGD):
    def step(self, closure=None):
        self.seen = self.param_groups[0]["params"][0].grad.clone()


TURN = st.tuples(st.integers(1, 3), st.integers(1, 4), st.sampled_from([9, 9, 9, 2]))
MEMBER = st.lists(st.lists(TURN, min_size=1, max_size=3), min_size=1, max_size=3)
GROUP = st.lists(st.tuples(MEMBER, st.sampled_from([0.0, 0.5, 1.0])), min_size=2, max_size=5)
CONFIG = LearnerConfig(length_alpha=0.5, max_tokens_per_microbatch=MAX_TOKENS, max_grad_norm=1e9)


def make(members, name):
    chains = []
    for index, (own, _) in enumerate(members):
        turn = 0
        for pieces in own:
            chains.append(chain(index, pieces, first_turn=turn))
            turn += len(pieces)
    group = sealed(name, chains, [reward for _, reward in members])
    verdict = judge_staleness(oldest_versions(group), 9, max_off_policy_steps=4, min_group_size=1)
    return group, verdict


@settings(max_examples=40, deadline=None)
@given(st.lists(GROUP, min_size=1, max_size=3), st.integers(1, 4))
def test_every_trained_token_lies_in_one_microbatch_of_one_rank_with_its_own_advantage(groups, num_ranks):
    judged = [make(members, f"g{i}") for i, members in enumerate(groups)]
    batch = build_batch(judged, ALGORITHMS["weighted_grpo"], CONFIG)
    dealer, seen = Dealer(num_ranks), []
    for number, part in enumerate(by_group(batch)):
        lengths, responses = [len(c.token_ids) for c in part.chains], [c.response for c in part.chains]
        dealt = dealer.deal_chains(lengths, MAX_TOKENS, responses, last=number == len(groups) - 1)
        for indices in (indices for own in dealt for indices in own):
            assert sum(len(part.chains[i].token_ids) for i in indices) <= MAX_TOKENS
            for one in (part.chains[i] for i in indices):
                advantage = float(part.advantages[one.response])
                seen += [(number, one.response, int(one.token_ids[p]), advantage) for p in one.positions]
    wanted = []
    for number, (group, verdict) in enumerate(judged):
        lengths = [member.num_generated_tokens for member in group.members]
        rewards = group_advantages([member.reward for member in group.members], divide_by_std=False)
        advantages = [a * w for a, w in zip(rewards, length_weights(lengths, 0.5), strict=True)]
        for one in group.chains:
            for span in one.turns:
                if (one.member, span.turn) not in verdict.masked:
                    ids = one.token_ids[span.start : span.stop]
                    advantage = float(torch.tensor(advantages[one.member]))
                    wanted += [(number, one.member, token, advantage) for token in ids]
    assert sorted(seen) == sorted(wanted)
    assert max(dealer.counts) - min(dealer.counts) <= 1


@settings(max_examples=40, deadline=None)
@given(st.lists(GROUP, min_size=1, max_size=3), st.sampled_from(["weighted_grpo", "dr_grpo", "grpo", "tis"]))
def test_the_packed_loss_and_gradient_are_those_of_every_chain_alone(groups, name):
    algorithm, kl_coef = ALGORITHMS[name], 0.2
    batch = build_batch([make(members, f"g{i}") for i, members in enumerate(groups)], algorithm, CONFIG)
    policy = SmallPolicy()
    keep = Keep([policy.weights], lr=1.0)
    keep.state[policy.weights] = {"not": "the first update"}
    done = update(policy, keep, batch, algorithm, CONFIG, kl_coef=kl_coef)

    weights = algorithm.token_weights(batch.num_tokens, batch.group)
    kl_weights = loss.token_weights(batch.num_tokens, batch.group)
    whole = torch.zeros(())
    for response in range(len(batch.num_tokens)):
        own = [c for c in batch.chains if c.response == response]
        if not own:
            continue
        now = torch.cat([policy.logprobs(c.token_ids, policy.weights)[c.positions] for c in own])
        reference = torch.cat([policy.logprobs(c.token_ids, policy.weights.detach() / 2)[c.positions] for c in own])
        rollout = torch.cat([c.rollout_logprobs for c in own])
        mean = loss.log_ratio(now, rollout).mean().detach()
        terms = TokenTerms(now, rollout, batch.advantages[response].expand(len(now)), mean.expand(len(now)))
        whole = whole + weights[response] * algorithm.token_loss(terms, CONFIG).sum()
        whole = whole + kl_coef * kl_weights[response] * loss.k3(reference - now).sum()
    if not whole.requires_grad:
        assert done.metrics["loss"] == 0
        return
    (gradient,) = torch.autograd.grad(whole, policy.weights)
    assert done.metrics["loss"] == pytest.approx(whole.item(), rel=1e-4, abs=1e-5)
    torch.testing.assert_close(keep.seen, gradient, rtol=1e-3, atol=1e-5)
    assert done.metrics["num_tokens"] == int(batch.num_tokens.sum())
    assert math.isfinite(done.metrics["grad_norm"])
