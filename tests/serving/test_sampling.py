"""Sampling: hand-computed draws, what top_p cuts, what log-probability is reported, and the distribution."""

import math

import pytest
import torch

from trajlog.serving.sampling import sample

LOGITS = torch.tensor([[math.log(0.5), math.log(0.3), math.log(0.2)]])


def draw(uniform: float, temperature: float = 1.0, top_p: float = 1.0) -> tuple[int, float]:
    numbers = [torch.tensor([x], dtype=torch.float64) for x in (temperature, top_p, uniform)]
    (token,), (logprob,) = sample(LOGITS, *numbers)
    return token, logprob


@pytest.mark.parametrize(("uniform", "token"), [(0.0, 0), (0.49, 0), (0.51, 1), (0.79, 1), (0.81, 2), (1 - 2**-53, 2)])
def test_the_draw_inverts_the_cumulative_distribution(uniform: float, token: int) -> None:
    assert draw(uniform) == (token, pytest.approx(math.log((0.5, 0.3, 0.2)[token]), abs=1e-6))


def test_temperature_scales_the_draw_and_the_logprob() -> None:
    squares = [0.25, 0.09, 0.04]
    assert draw(0.9, temperature=0.5) == (2, pytest.approx(math.log(0.04 / sum(squares)), abs=1e-6))
    assert draw(0.85, temperature=0.5)[0] == 1


def test_greedy_takes_the_best_and_reports_it_at_temperature_one() -> None:
    assert draw(0.999, temperature=0.0) == (0, pytest.approx(math.log(0.5), abs=1e-6))


def test_top_p_cuts_the_draw_but_not_the_logprob() -> None:
    assert draw(0.999, top_p=0.6) == (1, pytest.approx(math.log(0.3), abs=1e-6))
    assert draw(0.999, top_p=0.49) == (0, pytest.approx(math.log(0.5), abs=1e-6))
    assert draw(0.63, top_p=0.6)[0] == 1  # 0.5 / 0.8 = 0.625
    assert draw(0.62, top_p=0.6)[0] == 0


def test_rows_have_their_own_settings() -> None:
    logits = LOGITS.repeat(3, 1)
    tokens, _ = sample(
        logits,
        torch.tensor([1.0, 0.0, 1.0], dtype=torch.float64),
        torch.tensor([1.0, 1.0, 0.6], dtype=torch.float64),
        torch.tensor([0.99, 0.99, 0.99], dtype=torch.float64),
    )
    assert tokens == [2, 0, 1]


def test_a_token_without_probability_is_never_drawn() -> None:
    logits = torch.tensor([[-torch.inf, 0.0, -torch.inf]])
    one = torch.tensor([1.0], dtype=torch.float64)
    for uniform in (0.0, 0.5, 1 - 2**-53):
        assert sample(logits, one, one, torch.tensor([uniform], dtype=torch.float64)) == ([1], [0.0])


def test_many_draws_have_the_models_distribution() -> None:
    generator = torch.Generator().manual_seed(0)
    uniform = torch.rand(20000, generator=generator, dtype=torch.float64)
    ones = torch.ones(20000, dtype=torch.float64)
    tokens, _ = sample(LOGITS.repeat(20000, 1), ones, ones, uniform)
    shares = torch.bincount(torch.tensor(tokens)).double() / 20000
    assert shares.tolist() == pytest.approx([0.5, 0.3, 0.2], abs=0.01)
