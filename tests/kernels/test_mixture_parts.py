"""References of the mixture's parts against autograd and values by hand; test_fused.py holds the kernels to them."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trajlog.kernels.grouped_mm import grouped_mm
from trajlog.kernels.qk_norm_rope import qk_norm_rope, qk_norm_rope_backward
from trajlog.kernels.rms_norm import rms_norm, rms_norm_backward
from trajlog.kernels.routed_rows import arrange, combine_rows, gather_bordered_rows, scatter_borders
from trajlog.kernels.swiglu import swiglu, swiglu_backward
from trajlog.kernels.top_experts import top_experts


def draw(*size, seed=0):
    return torch.randn(*size, generator=torch.Generator().manual_seed(seed))


def test_rms_norm_equals_torchs_with_its_gradient():
    x, weight, pull, residual = draw(5, 12).requires_grad_(), draw(12, seed=1), draw(5, 12, seed=2), draw(5, 12, seed=3)
    want = torch.nn.functional.rms_norm(x, (12,), weight, 1e-5)
    got, inverse = rms_norm(x.detach(), weight, 1e-5)
    torch.testing.assert_close(got, want)
    (grad,) = torch.autograd.grad(want, x, pull)
    torch.testing.assert_close(rms_norm_backward(x.detach(), weight, inverse, pull, residual), grad + residual)


def test_swiglu_by_hand():
    # silu(2) = 2 / (1 + e^-2) = 1.76159, times up 3, times weight 0.5
    torch.testing.assert_close(swiglu(torch.tensor([[2.0, 3.0]]), torch.tensor([0.5])), torch.tensor([[2.642391]]))


def test_swiglu_gradients_equal_autograds():
    gate_up, weight, pull = draw(6, 10).requires_grad_(), draw(6, seed=1).requires_grad_(), draw(6, 5, seed=2)
    gate, up = gate_up.chunk(2, dim=1)
    want = torch.nn.functional.silu(gate) * up * weight[:, None]
    grads = torch.autograd.grad(want, (gate_up, weight), pull)
    grad_gate_up, again, grad_weight = swiglu_backward(gate_up.detach(), weight.detach(), pull)
    torch.testing.assert_close(again, want)
    torch.testing.assert_close(grad_gate_up, grads[0])
    torch.testing.assert_close(grad_weight, grads[1])


def test_rotation_of_the_first_token_is_none_and_of_a_quarter_turn_swaps_halves():
    qkv = torch.tensor([[3.0, 4.0, 1.0, 2.0, 7.0, 8.0]] * 2)  # one head of q, k and v, two wide
    angles = torch.tensor([[0.0], [torch.pi / 2]])
    ones = torch.ones(2)
    q, k, v = qk_norm_rope(qkv, ones, ones, angles.cos(), angles.sin(), 0.0, 1, 1)
    normed = torch.tensor([3.0, 4.0]) / (12.5**0.5)
    torch.testing.assert_close(q[:, 0], torch.stack([normed, torch.stack([-normed[1], normed[0]])]))
    torch.testing.assert_close(k[0, 0], torch.tensor([1.0, 2.0]) / (2.5**0.5))
    assert v[:, 0].tolist() == [[7.0, 8.0]] * 2


def test_gradient_of_heads_leaves_the_columns_after_them_alone():
    qkv, angles = draw(4, 3 * 6 + 2), draw(4, 3, seed=3)
    weights, trig = (draw(6, seed=1), draw(6, seed=2)), (angles.cos(), angles.sin())
    leaf = qkv.clone().requires_grad_()
    outs = qk_norm_rope(leaf, *weights, *trig, 1e-6, 1, 1)
    pulls = [draw(*o.shape, seed=4 + i) for i, o in enumerate(outs)]
    (want,) = torch.autograd.grad(outs, leaf, pulls)
    got = torch.full_like(qkv, 9.0)
    qk_norm_rope_backward(qkv, *weights, *trig, 1e-6, *pulls, got)
    torch.testing.assert_close(got[:, :18], want[:, :18])
    assert (got[:, 18:] == 9.0).all()


def test_grouped_products_by_hand_with_an_empty_group():
    rows, matrices = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([[[10.0]], [[100.0]], [[1000.0]]])
    ends = torch.tensor([1, 1, 3], dtype=torch.int32)
    assert grouped_mm(rows, matrices, ends).flatten().tolist() == [10.0, 2000.0, 3000.0]
    assert grouped_mm(rows.T, rows, ends).flatten().tolist() == [1.0, 0.0, 13.0]


def test_rows_and_borders_by_hand():
    x, borders = torch.tensor([[1.0], [2.0]]), torch.tensor([[10.0, 11.0, 12.0], [20.0, 21.0, 22.0]])
    token, expert, inverse = torch.tensor([0, 1, 0]), torch.tensor([0, 0, 2]), torch.tensor([0, 2, 1, 1])
    rows, parts = gather_bordered_rows(x, borders, token, expert, 1)
    assert rows.tolist() == [[1.0, 10.0], [2.0, 20.0], [1.0, 12.0]]
    assert scatter_borders(parts, token, expert, torch.zeros(2, 3)).tolist() == [[10.0, 0.0, 12.0], [20.0, 0.0, 0.0]]
    assert combine_rows(rows[:, :1], inverse, 2).tolist() == [[2.0], [4.0]]
    assert combine_rows(rows[:, :1], inverse, 2, x).tolist() == [[3.0], [6.0]]


def test_top_experts_by_hand():
    experts, logits = top_experts(torch.tensor([[0.5, 2.0, 2.0, -1.0]]), 3)
    assert experts.tolist() == [[1, 2, 0]]
    assert logits.tolist() == [[2.0, 2.0, 0.5]]


@settings(max_examples=30, deadline=None)
@given(num_tokens=st.integers(1, 12), num_experts=st.integers(1, 9), data=st.data())
def test_every_choice_has_one_row_in_its_experts_part(num_tokens, num_experts, data):
    top_k = data.draw(st.integers(1, num_experts))
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 1000)))
    experts = torch.rand(num_tokens, num_experts, generator=generator).topk(top_k).indices
    weights = torch.rand(num_tokens, top_k, generator=generator)
    rows = arrange(experts, weights, num_experts)
    assert rows.ends[-1] == num_tokens * top_k
    assert torch.equal(rows.expert, rows.expert.sort().values)
    starts = torch.cat([torch.zeros(1, dtype=torch.int32), rows.ends[:-1]])
    for expert, (start, end) in enumerate(zip(starts.tolist(), rows.ends.tolist(), strict=True)):
        assert (rows.expert[start:end] == expert).all()
        assert rows.token[start:end].tolist() == (experts == expert).any(1).nonzero().flatten().tolist()
    assert torch.equal(rows.expert[rows.inverse].view_as(experts), experts)
    assert torch.equal(rows.weight[rows.inverse].view_as(weights), weights)
