"""Triton kernels against their references: on a GPU in bfloat16, elsewhere by Triton's interpreter in float32."""

import os
import subprocess
import sys

import pytest
import torch

from trajlog.kernels import (
    grouped_mm,
    logprobs,
    merge_attention,
    qk_norm_rope,
    rms_norm,
    routed_rows,
    swiglu,
    top_experts,
)

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
ON_GPU = torch.cuda.is_available() and not INTERPRETED
DEVICE = "cuda" if ON_GPU else "cpu"
DTYPE = torch.bfloat16 if ON_GPU else torch.float32
ROUNDING = 2.0**-7 if ON_GPU else 1e-5
"""Of the largest value; bfloat16 has a step of 2^-8 and results are rounded once."""

kernels = pytest.mark.skipif(not (ON_GPU or INTERPRETED), reason="needs a GPU, or TRITON_INTERPRET=1")


def draw(*size, seed=0, dtype=None):
    values = torch.randn(*size, generator=torch.Generator().manual_seed(seed))
    return values.to(DEVICE, dtype or DTYPE)


def close(got, want):
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    error = (got.float() - want.float()).abs().max()
    assert error <= ROUNDING * want.float().abs().max(), (error, want.float().abs().max())


@pytest.mark.slow
@pytest.mark.skipif(ON_GPU or INTERPRETED, reason="the kernels run in this process")
def test_all_kernels_by_the_interpreter():
    """In a process of its own, since Triton decides once whether it interprets."""
    pytest.importorskip("triton")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", __file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.gpu
@kernels
@pytest.mark.parametrize("shape", [(5, 2048), (3, 96)])
def test_rms_norm(shape):
    from trajlog.kernels.fused import rms_norm as fused

    x, weight, grad, residual = draw(*shape), draw(shape[1], seed=1), draw(*shape, seed=2), draw(*shape, seed=3)
    got, want = fused.rms_norm(x, weight, 1e-6), rms_norm.rms_norm_reference(x, weight, 1e-6)
    close(got[0], want[0])
    torch.testing.assert_close(got[1], want[1])
    arguments = (x, weight, want[1], grad, residual)
    close(fused.rms_norm_backward(*arguments), rms_norm.rms_norm_backward_reference(*arguments))


@pytest.mark.gpu
@kernels
@pytest.mark.parametrize("extra", [0, 24])
@pytest.mark.parametrize(("heads", "kv_heads", "head_dim"), [(8, 2, 128), (3, 1, 32)])
def test_qk_norm_rope(heads, kv_heads, head_dim, extra):
    from trajlog.kernels.fused import qk_norm_rope as fused

    width = (heads + 2 * kv_heads) * head_dim
    qkv, q_weight, k_weight = draw(7, width + extra), draw(head_dim, seed=1), draw(head_dim, seed=2)
    angles = draw(7, head_dim // 2, seed=3, dtype=torch.float32)
    shared = (qkv, q_weight, k_weight, angles.cos(), angles.sin(), 1e-6)
    got = fused.qk_norm_rope(*shared, heads, kv_heads)
    want = qk_norm_rope.qk_norm_rope_reference(*shared, heads, kv_heads)
    for a, b in zip(got, want, strict=True):
        close(a, b)
    grads = [draw(*x.shape, seed=4 + i) for i, x in enumerate(want)]
    written = [torch.full_like(qkv, 9.0) for _ in range(2)]
    fused.qk_norm_rope_backward(*shared, *grads, written[0])
    qk_norm_rope.qk_norm_rope_backward_reference(*shared, *grads, written[1])
    close(*written)
    assert (written[0][:, width:] == 9.0).all()


@pytest.mark.gpu
@kernels
@pytest.mark.parametrize(("heads", "width"), [(32, 128), (3, 40)])
def test_merge_attention(heads, width):
    from trajlog.kernels.fused import merge_attention as fused

    tokens, before = 7, 4
    lse = draw(heads, before + tokens, dtype=torch.float32) * 30
    other_lse = draw(heads, tokens, seed=1, dtype=torch.float32) * 30
    other = draw(heads, tokens, width, seed=2).transpose(0, 1)
    outs = [draw(before + tokens, heads, width, seed=3) for _ in range(2)]
    merge = fused.merge_into, merge_attention.merge_into_reference
    got, want = (f(out[before:], lse[:, before:], other, other_lse) for f, out in zip(merge, outs, strict=True))
    torch.testing.assert_close(got, want)
    close(*outs)


@pytest.mark.gpu
@kernels
@pytest.mark.parametrize("rank", [8, 24])
@pytest.mark.parametrize("width", [96, 2048])
def test_routed_rows(rank, width):
    from trajlog.kernels.fused import routed_rows as fused

    tokens, experts, top_k = 11, 6, 3
    chosen = torch.stack(
        [torch.randperm(experts, generator=torch.Generator().manual_seed(i))[:top_k] for i in range(tokens)]
    )
    flat = chosen.flatten()
    order = flat.sort(stable=True).indices
    token, expert, inverse = (i.to(DEVICE) for i in (order // top_k, flat[order], order.argsort()))
    x, borders = draw(tokens, width), draw(tokens, experts * rank + 5, seed=1)[:, : experts * rank]
    got = fused.gather_bordered_rows(x, borders, token, expert, rank)
    want = routed_rows.gather_bordered_rows_reference(x, borders, token, expert, rank)
    assert torch.equal(got[0], want[0])
    assert torch.equal(got[1], want[1])
    outs = [torch.full((tokens, experts * rank + 3), 7.0, device=DEVICE, dtype=DTYPE) for _ in range(2)]
    fused.scatter_borders(want[1], token, expert, outs[0])
    routed_rows.scatter_borders_reference(want[1], token, expert, outs[1])
    assert torch.equal(*outs)
    rows = draw(len(token), width, seed=2)
    for residual in (None, x):
        close(
            fused.combine_rows(rows, inverse, top_k, residual),
            routed_rows.combine_rows_reference(rows, inverse, top_k, residual),
        )


@pytest.mark.gpu
@kernels
@pytest.mark.parametrize(("num_experts", "top_k"), [(128, 8), (6, 6), (1, 1), (20, 3)])
def test_top_experts(num_experts, top_k):
    from trajlog.kernels.fused import top_experts as fused

    logits = draw(37, num_experts + 3)[:, :num_experts]
    logits[5] = 0.25  # all equal
    got, want = fused.top_experts(logits, top_k), top_experts.top_experts_reference(logits, top_k)
    assert torch.equal(got[0], want[0])
    assert torch.equal(got[1], want[1])
    logits[7] = float("nan")
    experts, _ = fused.top_experts(logits, top_k)
    assert experts.min() >= 0
    assert experts.max() < num_experts


@pytest.mark.gpu
@kernels
@pytest.mark.parametrize("width", [96, 768])
def test_swiglu(width):
    from trajlog.kernels.fused import swiglu as fused

    gate_up, weight = draw(9, 2 * width), draw(9, seed=1, dtype=torch.float32)
    close(fused.swiglu(gate_up, weight), swiglu.swiglu_reference(gate_up, weight))
    grad = draw(9, width, seed=2)
    got = fused.swiglu_backward(gate_up, weight, grad)
    for a, b in zip(got, swiglu.swiglu_backward_reference(gate_up, weight, grad), strict=True):
        close(a, b)


@pytest.mark.gpu
@kernels
@pytest.mark.parametrize("vocab", [61, 5000])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_logit_rows(vocab, temperature):
    from trajlog.kernels.fused import logprobs as fused

    logits = draw(6, vocab, dtype=torch.float32) * 3
    tokens = torch.tensor([0, 1, 2, vocab - 1, 5, 6], device=DEVICE)
    for keep, entropy in ((True, True), (True, False), (False, True), (False, False)):
        got = fused.logit_rows(logits, tokens, temperature, DTYPE, keep, entropy)
        want = logprobs.logit_rows_reference(logits, tokens, temperature, DTYPE, keep, entropy)
        for a, b in zip(got, want, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                torch.testing.assert_close(a, b, rtol=1e-2 if ON_GPU else 1e-4, atol=1e-4)


@pytest.mark.gpu
@pytest.mark.skipif(not ON_GPU, reason="the CPU runs the reference")
@pytest.mark.parametrize("counts", [[5, 0, 3, 8], [0, 0, 16, 0], [16, 0, 0, 0]])
def test_grouped_mm(counts):
    rows, weights = draw(16, 64), draw(4, 72, 64, seed=1)
    ends = torch.tensor(counts, device=DEVICE).cumsum(0).to(torch.int32)
    for r, w in ((rows, weights.transpose(1, 2)), (rows.T, draw(16, 72, seed=2))):
        close(grouped_mm.grouped_mm(r, w, ends), grouped_mm.grouped_mm_reference(r, w, ends))
