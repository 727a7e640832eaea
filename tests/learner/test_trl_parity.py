"""The losses on the tensors that TRL's GRPOTrainer gets: its own `_compute_loss`, value and gradient.

TRL takes its ratio against `old_per_token_logps`; here those are the sampler's, as our one update a batch has it.
Skipped where TRL is not installed.
"""

from collections import defaultdict
from types import SimpleNamespace

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from tests.learner.responses import Groups, by_code, random_groups
from trajlog.config import LearnerConfig
from trajlog.learner import loss
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.algorithms.dr_grpo import LENGTH_TOKENS
from trajlog.learner.algorithms.tis import MAX_RATIO

pytest.importorskip("trl")
pytestmark = pytest.mark.filterwarnings("ignore")

CONFIG = LearnerConfig()


def trl_loss(groups: Groups, advantages: torch.Tensor, loss_type: str, *, beta=0.0, high=0.2, truncate=None):
    """TRL's loss and its gradient by log pi_now at the trained tokens. `truncate`: the sampler correction's cap."""
    from trl.trainer.grpo_trainer import GRPOTrainer

    responses = [response for group in groups for response in group]

    def padded(rows):
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)

    now = padded([r.logprobs for r in responses]).requires_grad_()
    rollout, reference = padded([r.rollout for r in responses]), padded([r.reference for r in responses])
    mask = padded([[1] * len(r.logprobs) for r in responses])
    inputs = {
        "prompt_ids": torch.zeros_like(mask),
        "prompt_mask": torch.ones_like(mask),
        "completion_ids": torch.zeros_like(mask),
        "completion_mask": mask,
        "advantages": advantages,
        "ref_per_token_logps": reference,
        "num_items_in_batch": mask.sum(),
    }
    if truncate is None:
        inputs["old_per_token_logps"] = rollout
    else:
        inputs["importance_sampling_ratio"] = torch.exp(now.detach() - rollout).clamp(max=truncate)
    trainer = SimpleNamespace(
        _get_per_token_logps_and_entropies=lambda *args, **kwargs: (now, torch.zeros_like(now), None),
        accelerator=SimpleNamespace(gather=lambda x: x, reduce=lambda x, reduction: x, num_processes=1),
        args=SimpleNamespace(delta=None, use_bias_correction_kl=False, steps_per_generation=1),
        model=SimpleNamespace(training=True),
        _metrics=defaultdict(lambda: defaultdict(list)),
        current_gradient_accumulation_steps=1,
        aux_loss_enabled=False,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        importance_sampling_level="token",
        beta=beta,
        loss_type=loss_type,
        epsilon_low=0.2,
        epsilon_high=high,
        use_vllm=truncate is not None,
        vllm_importance_sampling_correction=truncate is not None,
        max_completion_length=LENGTH_TOKENS,
        _entropy_bonus_enabled=False,
    )
    value = GRPOTrainer._compute_loss(trainer, None, inputs)
    value.backward()
    return float(value.detach()), now.grad[mask.bool()]


def ours(name: str, groups: Groups, config: LearnerConfig) -> torch.Tensor:
    """Advantages of all responses in order."""
    algorithm = ALGORITHMS[name]
    made = [algorithm.advantages([r.reward for r in g], [r.num_generated for r in g], config) for g in groups]
    return torch.tensor([a for group in made for a in group])


def same(got, want):
    assert got[0] == pytest.approx(want[0], rel=1e-4, abs=1e-6)
    torch.testing.assert_close(got[1], want[1], rtol=1e-4, atol=1e-7)
    assert want[1].abs().max() > 0


SEEDS = pytest.mark.parametrize("seed", range(5))


@SEEDS
@pytest.mark.parametrize("kl_coef", [0.0, 0.3])
def test_grpo(seed, kl_coef):
    groups = random_groups(seed, sizes=(3, 3))
    advantages = ours("grpo", groups, CONFIG)
    same(by_code("grpo", groups, CONFIG, kl_coef), trl_loss(groups, advantages, "grpo", beta=kl_coef))


@SEEDS
def test_dr_grpo(seed):
    groups = random_groups(seed, sizes=(3, 3))
    same(by_code("dr_grpo", groups, CONFIG), trl_loss(groups, ours("dr_grpo", groups, CONFIG), "dr_grpo"))


@SEEDS
@pytest.mark.parametrize("spread", [0.005, 0.3])
def test_weighted_grpo_is_trls_grpo_with_its_advantages_times_both_weights(seed, spread):
    """Both weights are factors of a response's whole policy term, so TRL can be given them in its advantages."""
    config = LearnerConfig(length_alpha=0.5, clip_high=0.28)
    groups = random_groups(seed, sizes=(3, 3), spread=spread)
    means = torch.tensor(
        [torch.tensor(r.logprobs).sub(torch.tensor(r.rollout)).mean() for group in groups for r in group]
    )
    advantages = ours("weighted_grpo", groups, config) * loss.off_policy_weights(means)
    same(by_code("weighted_grpo", groups, config), trl_loss(groups, advantages, "grpo", high=0.28))


@SEEDS
def test_tis_has_the_gradient_of_trls_truncated_sampler_correction(seed):
    """TRL's value has PPO's ratio, which is one, in place of log pi: the gradients are the same."""
    groups = random_groups(seed, sizes=(3, 3), spread=0.8)
    _, gradient = by_code("tis", groups, CONFIG)
    _, theirs = trl_loss(groups, ours("tis", groups, CONFIG), "grpo", truncate=MAX_RATIO)
    torch.testing.assert_close(gradient, theirs, rtol=1e-4, atol=1e-7)


def test_standard_deviation_is_trls():
    from trl.trainer.utils import nanstd

    rewards = [1.0, 0.0, 0.25, -1.0]
    centred = torch.tensor(rewards) - torch.tensor(rewards).mean()
    theirs = centred / (nanstd(torch.tensor(rewards)) + 1e-6)  # TRL's own epsilon is 1e-4
    assert ALGORITHMS["grpo"].advantages(rewards, [1] * 4, CONFIG) == pytest.approx(theirs.tolist(), rel=1e-5)
