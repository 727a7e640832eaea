import math

import pytest
import torch

from trajlog.kernels import logprobs as module
from trajlog.kernels.logprobs import selected_logprobs, selected_logprobs_reference


def case(num_tokens=37, width=16, vocab=61, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(num_tokens, width, generator=generator).to(dtype).requires_grad_()
    weight = torch.randn(vocab, width, generator=generator).to(dtype)
    return hidden, weight, torch.randint(0, vocab, (num_tokens,), generator=generator)


def test_by_hand():
    hidden, weight = torch.tensor([[1.0]]), torch.tensor([[math.log(1.0)], [math.log(3.0)]])
    out = selected_logprobs(hidden, weight, torch.tensor([1]))
    assert out.logprobs.item() == pytest.approx(math.log(0.75))
    assert out.entropy.item() == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    # temperature 0.5 squares the odds: 9 / 10
    assert selected_logprobs(hidden, weight, torch.tensor([1]), 0.5).logprobs.item() == pytest.approx(math.log(0.9))


@pytest.mark.parametrize("chunk", [1, 8, 37, 1000])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_equal_to_the_reference_with_equal_gradients(chunk, temperature):
    hidden, weight, tokens = case()
    got = selected_logprobs(hidden, weight, tokens, temperature, chunk)
    want = selected_logprobs_reference(hidden, weight, tokens, temperature)
    torch.testing.assert_close(got.logprobs, want.logprobs, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(got.entropy, want.entropy, rtol=1e-4, atol=2e-5)
    pull = torch.linspace(-1, 1, len(tokens))
    (ours,) = torch.autograd.grad(got.logprobs, hidden, pull)
    (theirs,) = torch.autograd.grad(want.logprobs, hidden, pull)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    assert not got.entropy.requires_grad


def test_bfloat16_within_its_precision():
    hidden, weight, tokens = case(dtype=torch.bfloat16)
    got = selected_logprobs(hidden, weight, tokens)
    want = selected_logprobs_reference(hidden.float(), weight.float(), tokens)
    assert got.logprobs.dtype == torch.float32
    torch.testing.assert_close(got.logprobs, want.logprobs, rtol=0, atol=0.06)


def test_gradient_by_finite_differences():
    hidden, weight, tokens = case(num_tokens=3, width=4, vocab=5, dtype=torch.float32)
    total = selected_logprobs(hidden, weight, tokens, chunk_tokens=2).logprobs.sum()
    (gradient,) = torch.autograd.grad(total, hidden)
    step = 1e-2
    for i, j in [(0, 0), (1, 3), (2, 2)]:
        values = []
        for sign in (1, -1):
            moved = hidden.detach().clone()
            moved[i, j] += sign * step
            values.append(selected_logprobs(moved, weight, tokens).logprobs.sum().item())
        assert (values[0] - values[1]) / (2 * step) == pytest.approx(gradient[i, j].item(), abs=2e-3)


def test_no_more_than_one_chunk_of_logits_exists(monkeypatch):
    hidden, weight, tokens = case(num_tokens=50)
    seen = []
    original = module._chunk
    monkeypatch.setattr(module, "_chunk", lambda h, *rest: (seen.append(len(h)), original(h, *rest))[1])
    selected_logprobs(hidden, weight, tokens, chunk_tokens=20).logprobs.sum().backward()
    assert seen == [20, 20, 10]  # once: the backward pass forms no logits


def test_no_tokens():
    hidden, weight, tokens = case(num_tokens=0)
    out = selected_logprobs(hidden, weight, tokens)
    out.logprobs.sum().backward()
    assert out.logprobs.shape == (0,)
    assert hidden.grad.shape == (0, 16)


def test_entropy_only_where_it_is_asked_for():
    hidden, weight, tokens = case()
    with_it, without = (
        selected_logprobs(hidden, weight, tokens),
        selected_logprobs(hidden, weight, tokens, entropy=False),
    )
    assert without.entropy is None
    assert torch.equal(with_it.logprobs, without.logprobs)


def test_without_gradient_no_direction_is_formed(monkeypatch):
    hidden, weight, tokens = case()
    wanted = []
    original = module._chunk
    monkeypatch.setattr(module, "_chunk", lambda *a: (wanted.append(a[4]), original(*a))[1])
    with torch.no_grad():
        scored = selected_logprobs(hidden, weight, tokens)
    assert not scored.logprobs.requires_grad
    selected_logprobs(hidden, weight, tokens)
    assert wanted == [False, True]


def test_a_head_that_wants_a_gradient_is_refused():
    hidden, weight, tokens = case()
    with pytest.raises(ValueError, match="frozen"):
        selected_logprobs(hidden, weight.requires_grad_(), tokens)
