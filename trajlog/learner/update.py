"""One optimizer step, fed group by group as they arrive: gradients, one sum over ranks, clipping, AdamW.

    step = Step(policy, optimizer, algorithm, config, kl_coef, ranks)
    step.add(batch)                # one or more groups: their forward and backward passes
    done = step.finish(anchors)    # the sum over ranks, and the update

However the groups are fed, the passes are the same and in the same order: packing never crosses a group.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.errors import ModelError
from trajlog.learner.algorithms import Algorithm
from trajlog.learner.batch import StepBatch, by_group, computed, joined, shared_by
from trajlog.learner.dealing import Dealer
from trajlog.learner.examples import Example
from trajlog.learner.finiteness import groups_at_fault
from trajlog.learner.gradients import (
    EMPTY_TOKENS,
    SUMS,
    accumulate_cloning_gradients,
    accumulate_policy_gradients,
    clone,
    run_empty,
    split_log_ratio_sums,
    split_responses,
)
from trajlog.learner.policy import PolicyModel
from trajlog.learner.ranks import Message, Ranks
from trajlog.learner.tensors import anchor_tensors, batch_tensors

__all__ = ["Step", "Update", "accumulate_cloning_gradients", "apply_gradients", "make_optimizer", "update"]


@dataclass(frozen=True)
class Update:
    """What a step did. `applied` is False when the loss or a gradient was not finite; then no parameter moved."""

    applied: bool
    metrics: dict[str, float]
    at_fault: tuple[int, ...] = ()
    """Groups, counted in the order added, that were not finite; all of them when only their sum is not."""


def make_optimizer(
    parameters: Sequence[torch.nn.Parameter], learning_rate: float, weight_decay: float
) -> torch.optim.AdamW:
    """AdamW with torch's default betas and epsilon."""
    return torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=weight_decay)


class Step:
    """One optimizer step of the policy adapter. `finish` once, after every `add`; a step not finished moves nothing.

    The reference adapter must be loaded where `kl_coef` is above 0. With several ranks, rank 0 makes a Step and the
    others follow it (following.py); each runs its share of the microbatches, and all end with the same adapter.
    """

    def __init__(
        self,
        policy: PolicyModel,
        optimizer: torch.optim.Optimizer,
        algorithm: Algorithm,
        config: LearnerConfig,
        kl_coef: float = 0.0,
        ranks: Ranks | None = None,
    ) -> None:
        self._policy, self._optimizer, self._algorithm, self._config = policy, optimizer, algorithm, config
        self._kl_coef = kl_coef
        self._ranks = ranks or Ranks()
        self._ranks.tell(Message("step", {"kl_coef": kl_coef}))
        self._parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self._gradient = flat_gradients(self._parameters)
        self._dealer = Dealer(self._ranks.size, lockstep=self._ranks.sharded)
        self._sums = torch.zeros(len(SUMS) + 1, dtype=torch.float64, device=policy.device)  # the last: cloning loss
        self._checks: list[Tensor] = []
        """Of each group added, then of the anchors: see finiteness.py; float64 [2] on the device."""
        self._num_fed = 0
        self._num_groups = 0
        self._num_tokens_used = 0
        self._num_tokens_computed = 0
        self._num_microbatches = 0
        self._has_advantage = False
        self._batches: list[StepBatch] = []

    def add(self, batch: StepBatch) -> None:
        """Run this rank's share of one or more groups.

        Reads nothing back from the device, unless a response lies in several microbatches: their mean log ratio is
        needed first.
        """
        if self._ranks.size > 1:
            counts = {
                "num_unscored": batch.num_unscored,
                "num_stale_turns": batch.num_stale_turns,
                "overlong_outcomes": batch.overlong_outcomes,
            }
            self._ranks.tell(Message("groups", counts, batch_tensors(batch)))
        self._batches.append(batch)
        for group in by_group(batch):
            self._num_fed += 1
            last = self._num_fed == self._config.groups_per_step
            self._check(self._add_group(group, last) if group.chains else self._sums.new_zeros(()))

    @property
    def batch(self) -> StepBatch:
        """All that was added."""
        return joined(self._batches)

    def _add_group(self, batch: StepBatch, last: bool) -> Tensor:
        """This rank's share of its loss, float64 []."""
        dealt = self._deal(self._dealer, batch, range(len(batch.chains)), [c.response for c in batch.chains], last)
        packs = [indices for some in dealt for indices in some]
        means = self._split_means(batch, packs)
        self._num_groups += 1
        self._num_microbatches += len(packs)
        self._num_tokens_used += sum(len(chain.token_ids) for chain in batch.chains)
        self._has_advantage |= bool((batch.advantages[batch.num_tokens > 0] != 0).any())
        sums = accumulate_policy_gradients(
            self._policy, batch, dealt[self._ranks.rank], means, self._algorithm, self._config, self._kl_coef
        )
        self._sums[: len(SUMS)] += sums
        # at once: the other ranks hear of the next groups only when this rank is through its passes
        self._fill(self._dealer, reference=self._kl_coef > 0, backward=True)
        return sums[SUMS.index("policy_loss")] + self._kl_coef * sums[SUMS.index("kl")]

    def _check(self, loss: Tensor) -> None:
        """Keep what tells whether the part just added was finite; reads nothing back from the device."""
        self._checks.append(torch.stack([loss, torch.linalg.vector_norm(self._gradient).double()]))

    def _split_means(self, batch: StepBatch, packs: Sequence[Sequence[int]]) -> Tensor:
        """Mean log ratio of responses in several microbatches, by a pass of their own; NaN for the others, [N]."""
        means = torch.full((len(batch.num_tokens),), math.nan)
        split = split_responses(batch, packs)
        if not split:
            return means
        own = [i for i, chain in enumerate(batch.chains) if chain.response in split]
        dealer = Dealer(self._ranks.size, lockstep=self._ranks.sharded)
        dealt = self._deal(dealer, batch, own, own, last=True)
        sums = split_log_ratio_sums(self._policy, batch, dealt[self._ranks.rank])
        self._fill(dealer, reference=False, backward=False)
        total = self._ranks.gather(sums).sum(0)
        for response in split:
            means[response] = total[response] / batch.num_tokens[response]
        return means

    def _deal(
        self, dealer: Dealer, batch: StepBatch, chosen: Sequence[int], together: Sequence[int], last: bool
    ) -> list[list[list[int]]]:
        """By rank, its microbatches of the chosen chains; those with one value of `together` share one."""
        chains = [batch.chains[i] for i in chosen]
        shared = shared_by(chains) if self._config.share_prefix else 0
        lengths = [len(chain.token_ids) for chain in chains]
        places = dealer.deal_chains(lengths, self._config.max_tokens_per_microbatch, together, last=last, shared=shared)
        dealt = [[[chosen[i] for i in indices] for indices in packs] for packs in places]
        for packs in dealt:
            for indices in packs:
                self._num_tokens_computed += computed([batch.chains[i] for i in indices], self._config.share_prefix)
        return dealt

    def _fill(self, dealer: Dealer, *, reference: bool, backward: bool) -> None:
        """With a sharded base every rank makes equally many passes, before those of another kind begin."""
        if self._ranks.sharded:
            missing = dealer.level()
            self._num_tokens_computed += EMPTY_TOKENS * sum(missing)
            for _ in range(missing[self._ranks.rank]):
                run_empty(self._policy, reference=reference, backward=backward)

    def finish(self, anchors: Sequence[Example] = ()) -> Update:
        """Train the adapter on what was added, with `anchors` as behaviour-cloning examples.

        Raises ModelError when ranks no longer hold the same adapter, when the first step has no gradient at all, or
        when the anchors alone are not finite.
        """
        self._ranks.tell(Message("finish", {}, anchor_tensors(anchors)))
        self._gradient /= max(self._num_groups, 1)
        self._add_anchors(anchors)
        self._check(self._sums[-1])
        checksum = torch.nn.utils.get_total_norm(self._parameters).double()
        self._ranks.sum_gradients(self._gradient)
        gathered = self._ranks.gather(torch.cat([self._sums, checksum.reshape(1), *self._checks]))
        sums, checksums, checks = gathered.split([len(self._sums), 1, 2 * len(self._checks)], dim=1)
        self._check_same(checksums.flatten().tolist())
        metrics = self._metrics(dict(zip((*SUMS, "bc_loss"), sums.sum(0).tolist(), strict=True)), anchors)
        metrics["grad_norm"] = norm = self._clip()
        applied = math.isfinite(norm) and math.isfinite(metrics["loss"])
        if applied:
            self._check_not_zero(norm, metrics["mismatch_kl"])
            self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        blamed = () if applied else groups_at_fault(checks.unflatten(1, (-1, 2)), anchors)
        return Update(applied, {name: value for name, value in metrics.items() if math.isfinite(value)}, blamed)

    def _add_anchors(self, anchors: Sequence[Example]) -> None:
        lengths = [len(example.token_ids) for example in anchors]
        dealt = self._dealer.deal_chains(lengths, self._config.max_tokens_per_microbatch, last=True)
        for indices in dealt[self._ranks.rank]:
            chosen = [anchors[i] for i in indices]
            self._sums[-1] += clone(self._policy, chosen, len(anchors), self._config.bc_coef)
        self._fill(self._dealer, reference=False, backward=True)

    def _clip(self) -> float:
        """Scales the gradients down to learner.max_grad_norm; their norm before that."""
        norm = torch.linalg.vector_norm(self._gradient)
        self._gradient *= torch.clamp(self._config.max_grad_norm / (norm + 1e-6), max=1.0)
        return float(norm)

    def _check_same(self, checksums: Sequence[float]) -> None:
        for rank, checksum in enumerate(checksums):
            if checksum != checksums[0] and not math.isnan(checksum):
                raise ModelError(
                    f"rank {rank} holds another adapter than rank 0 (norms {checksum!r} and {checksums[0]!r}): ranks "
                    "must run the same build on the same kind of device. Start the learner again; it goes on from its "
                    "newest checkpoint."
                )

    def _check_not_zero(self, norm: float, mismatch_kl: float) -> None:
        if norm == 0 and self._has_advantage and not self._optimizer.state:
            raise ModelError(
                "every gradient of the first update is zero although there are advantages. Either no trained token "
                "depends on the adapter: set learner.lora_targets to layers that this model runs. Or every token is "
                "clipped, which a sampler with another model, dtype or temperature than the learner's does: compare "
                f"them (mismatch_kl is {mismatch_kl:.3g})."
            )

    def _metrics(self, sums: dict[str, float], anchors: Sequence[Example]) -> dict[str, float]:
        groups = max(self._num_groups, 1)
        num_tokens = sum(int(batch.num_tokens.sum()) for batch in self._batches)
        per_token = max(num_tokens, 1)
        policy_loss, kl = sums["policy_loss"] / groups, sums["kl"] / groups
        outcomes = [outcome for batch in self._batches for outcome in batch.overlong_outcomes]
        metrics = {
            "loss": policy_loss + self._kl_coef * kl + self._config.bc_coef * sums["bc_loss"],
            "policy_loss": policy_loss,
            "mismatch_kl": sums["mismatch_kl"] / per_token,
            "ratio_mean": sums["ratio"] / per_token,
            "clip_fraction": sums["clipped"] / per_token,
            "entropy": sums["entropy"] / per_token,
            "num_tokens": float(num_tokens),
            "num_responses": float(sum(int((batch.num_tokens > 0).sum()) for batch in self._batches)),
            "num_unscored_tokens": float(sum(batch.num_unscored for batch in self._batches)),
            "num_stale_turns": float(sum(batch.num_stale_turns for batch in self._batches)),
            "num_overlong_members": float(len(outcomes)),
            "num_microbatches": float(self._num_microbatches),
            "used_token_fraction": self._num_tokens_used / max(self._num_tokens_computed, 1),
            "rank_balance": self._dealer.balance,
        }
        metrics |= {f"num_overlong_{outcome}": float(outcomes.count(outcome)) for outcome in sorted(set(outcomes))}
        if sums["routing_recorded"]:
            metrics["routing_agreement"] = sums["routing_agreed"] / sums["routing_recorded"]
        if self._kl_coef > 0:
            metrics |= {"kl": kl, "kl_coef": self._kl_coef}
        if anchors:
            metrics["bc_loss"] = sums["bc_loss"]
        return metrics


def update(
    policy: PolicyModel,
    optimizer: torch.optim.Optimizer,
    batch: StepBatch,
    algorithm: Algorithm,
    config: LearnerConfig,
    *,
    kl_coef: float = 0.0,
    anchors: Sequence[Example] = (),
    ranks: Ranks | None = None,
) -> Update:
    """A whole Step at once."""
    step = Step(policy, optimizer, algorithm, config, kl_coef, ranks)
    step.add(batch)
    return step.finish(anchors)


def flat_gradients(parameters: Sequence[torch.nn.Parameter]) -> Tensor:
    """Zero gradients of all parameters, end to end in one tensor that backward passes add to: float32 [elements]."""
    flat = torch.zeros(sum(p.numel() for p in parameters), dtype=torch.float32, device=parameters[0].device)
    for parameter, part in zip(parameters, flat.split([p.numel() for p in parameters]), strict=True):
        parameter.grad = part.view_as(parameter)
    return flat


def apply_gradients(optimizer: torch.optim.Optimizer, max_grad_norm: float, finite: bool = True) -> float:
    """Clip to the norm and step; nothing moves unless the loss and the norm are finite. Returns the norm."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_grad_norm))
    if finite and math.isfinite(norm):
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm
