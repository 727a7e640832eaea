"""Documents that share their beginning: every backend against one masked softmax over all tokens, in float64."""

import sys
import types

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.cudnn_ops import CudnnOps, flash, flash_backward
from trajlog.kernels.attention import CudnnAttention, FlashAttention4, SdpaAttention
from trajlog.kernels.documents import Documents
from trajlog.kernels.two_part_attention import TwoPartAttention

CPU = torch.device("cpu")
HEADS, KV_HEADS, WIDTH = 4, 2, 8


def case(tokens, scale=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    sizes = (HEADS, KV_HEADS, KV_HEADS)
    return [torch.randn(tokens, h, WIDTH, generator=generator, dtype=torch.float64) * scale for h in sizes]


def plain(q, k, v, prefix, rests):
    """One softmax over all tokens, with everything masked but the prefix and the own document up to the token."""
    k, v = (x.repeat_interleave(HEADS // KV_HEADS, dim=1) for x in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) / WIDTH**0.5
    lengths = [prefix, *rests]
    document = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    visible = (document[:, None] == document[None]) | (document == 0)[None]
    visible &= torch.ones_like(scores[0]).tril().bool()
    return torch.einsum("hqk,khd->qhd", scores.masked_fill(~visible, -torch.inf).softmax(-1), v)


def compared(backend, prefix, rests, scale=1.0, tolerance=1e-10):
    inputs = [x.requires_grad_() for x in case(prefix + sum(rests), scale)]
    given_inputs = [x.detach().clone() for x in inputs]
    documents = Documents.of([prefix, *rests], CPU, shared_prefix=True)
    want = plain(*inputs, prefix, rests)
    pull = torch.linspace(-1, 1, want.numel(), dtype=torch.float64).view_as(want)
    wanted = torch.autograd.grad(want, inputs, pull)
    out, kept = backend.forward(*given_inputs, documents)
    torch.testing.assert_close(out, want, rtol=tolerance, atol=tolerance)
    got = backend.backward(pull, *given_inputs, out, kept, documents)
    for a, b in zip(got, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)
    assert all(torch.equal(a, b) for a, b in zip(given_inputs, inputs, strict=True))


class Formulas(TwoPartAttention):
    """The two kernels written out: P = exp(scores - lse), delta = rowsum(dO O), dS = P (dP - delta)."""

    def causal(self, q, k, v, documents):
        parts = [self._attend(*x, causal=True) for x in self._split(documents, q, k, v)]
        return torch.cat([out for out, _ in parts]), [torch.cat([lse for _, lse in parts], 1)]

    def causal_backward(self, grad_out, q, k, v, out, kept, documents):
        parts = self._split(documents, grad_out, q, k, v, out, kept[0].T)
        grads = [self._pull(*x[:5], x[5].T, causal=True) for x in parts]
        return tuple(map(torch.cat, zip(*grads, strict=True)))

    def full(self, q, k, v):
        out, lse = self._attend(q, k, v, causal=False)
        return out, [lse]

    def full_backward(self, grad_out, q, k, v, out, kept):
        return self._pull(grad_out, q, k, v, out, kept[0], causal=False)

    def logsumexp(self, kept, lengths):
        return kept[0]

    def set_logsumexp(self, kept, lengths, value):
        kept[0] = value

    @staticmethod
    def _split(documents, *tensors):
        return zip(*(x.split(documents.lengths) for x in tensors), strict=True)

    @staticmethod
    def _scores(q, k, causal):
        scores = torch.einsum("qhd,khd->hqk", q, k.repeat_interleave(HEADS // KV_HEADS, dim=1)) / WIDTH**0.5
        return scores.masked_fill(torch.ones_like(scores[0]).triu(1).bool(), -torch.inf) if causal else scores

    def _attend(self, q, k, v, causal):
        scores = self._scores(q, k, causal)
        v = v.repeat_interleave(HEADS // KV_HEADS, dim=1)
        return torch.einsum("hqk,khd->qhd", scores.softmax(-1), v), scores.logsumexp(-1)

    def _pull(self, grad_out, q, k, v, out, lse, causal):
        group = HEADS // KV_HEADS
        weights = (self._scores(q, k, causal) - lse[..., None]).exp()
        delta = (grad_out * out).sum(-1).T[..., None]
        pulled = torch.einsum("qhd,khd->hqk", grad_out, v.repeat_interleave(group, dim=1))
        scores = weights * (pulled - delta) / WIDTH**0.5
        grad_q = torch.einsum("hqk,khd->qhd", scores, k.repeat_interleave(group, dim=1))
        grad_k = torch.einsum("hqk,qhd->khd", scores, q)
        grad_v = torch.einsum("hqk,qhd->khd", weights, grad_out)
        return grad_q, *(x.view(-1, KV_HEADS, group, WIDTH).sum(2) for x in (grad_k, grad_v))


def batched(*tensors):
    return [x.transpose(0, 1)[None] for x in tensors]


@pytest.fixture
def cudnn(monkeypatch):
    return CudnnOps.install(monkeypatch)


def flash_attention_4():
    """`flash_attn.cute.interface` by torch's CPU kernel: batches, or documents with offsets."""

    def split(x, ends):
        return [x[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]

    def forward(q, k, v, causal, return_lse, cu_seqlens_q=None, cu_seqlens_k=None, **longest):
        assert return_lse
        if cu_seqlens_q is None:
            out, lse = flash(*(x.transpose(1, 2) for x in (q, k, v)), 0.0, causal)
            return out.transpose(1, 2).contiguous(), lse.contiguous()
        parts = zip(*(split(x, cu_seqlens_q) for x in (q, k, v)), strict=True)
        done = [flash(*batched(*x), 0.0, causal) for x in parts]
        return torch.cat([out[0].transpose(0, 1) for out, _ in done]), torch.cat([lse[0] for _, lse in done], 1)

    def backward(q, k, v, out, dout, lse, causal, deterministic, cu_seqlens_q=None, cu_seqlens_k=None, **longest):
        if cu_seqlens_q is None:
            grads = flash_backward(*(x.transpose(1, 2) for x in (dout, q, k, v, out)), lse, 0.0, causal)
            return *(x.transpose(1, 2) for x in grads), None
        parts = zip(*(split(x, cu_seqlens_q) for x in (dout, q, k, v, out, lse.T)), strict=True)
        done = [flash_backward(*batched(*x[:5]), x[5].T[None].contiguous(), 0.0, causal) for x in parts]
        return *(torch.cat([x[0].transpose(0, 1) for x in grad]) for grad in zip(*done, strict=True)), None

    interface = types.ModuleType("flash_attn.cute.interface")
    interface._flash_attn_fwd, interface._flash_attn_bwd = forward, backward
    return interface


@pytest.fixture
def interface(monkeypatch):
    module, cute = flash_attention_4(), types.ModuleType("flash_attn.cute")
    cute.interface = module
    for name, what in {"flash_attn": types.ModuleType("flash_attn"), "flash_attn.cute": cute}.items():
        monkeypatch.setitem(sys.modules, name, what)
    return module


PREFIX = st.integers(1, 12)
RESTS = st.lists(st.integers(1, 9), min_size=1, max_size=4)


@settings(max_examples=30, deadline=None)
@given(prefix=PREFIX, rests=RESTS)
def test_two_kernels_and_their_merge_are_one_softmax(prefix, rests):
    compared(Formulas(), prefix, rests)


@settings(max_examples=20, deadline=None)
@given(prefix=PREFIX, rests=RESTS)
def test_a_prefix_before_every_rest_is_one_softmax(prefix, rests):
    compared(SdpaAttention(), prefix, rests)


@pytest.mark.parametrize("scale", [0.0, 1.0, 12.0])
@pytest.mark.parametrize("prefix", [1, 128, 200, 384])
@pytest.mark.parametrize("rests", [[1], [5, 130, 1], [256, 127]])
def test_cudnn_with_a_shared_prefix(cudnn, prefix, rests, scale):
    compared(CudnnAttention(), prefix, rests, scale)
    rounded = [-(-n // 128) * 128 for n in (prefix, *rests)]
    assert cudnn.sizes == [*((n, n, True) for n in rounded), (2048, prefix, False)]


@pytest.mark.parametrize("scale", [0.0, 1.0, 12.0])
@pytest.mark.parametrize(("prefix", "rests"), [(1, [1]), (7, [1, 5, 3]), (64, [30, 2])])
def test_flash_attention_4_with_a_shared_prefix(interface, prefix, rests, scale):
    compared(FlashAttention4(), prefix, rests, scale)


def test_the_kernels_know_nothing_of_a_prefix_that_is_not_there():
    inputs, documents = case(9), Documents.of([4, 5], CPU)
    out, kept = Formulas().forward(*inputs, documents)
    want, of_causal = Formulas().causal(*inputs, documents)
    assert torch.equal(out, want)
    assert torch.equal(kept[0], of_causal[0])
