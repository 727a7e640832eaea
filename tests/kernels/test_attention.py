import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trajlog.errors import ConfigError
from trajlog.kernels import attention
from trajlog.kernels.attention import (
    CudnnAttention,
    FlashAttention4,
    SdpaAttention,
    choose_attention,
    default_attention,
)
from trajlog.kernels.documents import Documents


def case(tokens, heads=4, kv_heads=2, width=8):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(tokens, h, width, generator=generator) for h in (heads, kv_heads, kv_heads)]


def plain(q, k, v, lengths):
    """One softmax over all tokens, with everything masked that lies in another document or ahead."""
    group = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) / q.shape[2] ** 0.5
    document = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    visible = (document[:, None] == document[None]) & torch.ones_like(scores[0]).tril().bool()
    return torch.einsum("hqk,khd->qhd", scores.masked_fill(~visible, -torch.inf).softmax(-1), v)


@settings(max_examples=20, deadline=None)
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_tokens_see_their_own_document_up_to_themselves(lengths):
    inputs = [x.requires_grad_() for x in case(sum(lengths))]
    documents = Documents.of(lengths, torch.device("cpu"))
    backend = SdpaAttention()
    out, kept = backend.forward(*(x.detach() for x in inputs), documents)
    want = plain(*inputs, lengths)
    torch.testing.assert_close(out, want, rtol=1e-5, atol=1e-5)
    pull = torch.linspace(-1, 1, out.numel()).view_as(out)
    got = backend.backward(pull, *(x.detach() for x in inputs), out, kept, documents)
    for a, b in zip(got, torch.autograd.grad(want, inputs, pull), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_the_default_backend_takes_the_tensors():
    cuda, cpu = torch.device("cuda"), torch.device("cpu")
    assert isinstance(default_attention(cuda, torch.bfloat16, 128), CudnnAttention)
    assert isinstance(default_attention(cuda, torch.float32, 128), SdpaAttention)
    assert isinstance(default_attention(cuda, torch.bfloat16, 256), SdpaAttention)
    assert isinstance(default_attention(cpu, torch.bfloat16, 128), SdpaAttention)


CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def machine(monkeypatch, *, installed=False, capability=(9, 0)):
    """Whether flash-attn-4 is there, and what the GPU is."""
    monkeypatch.setattr(attention, "_installed", lambda module: installed)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)


@pytest.mark.parametrize(
    ("choice", "deterministic", "installed", "capability", "device", "expected"),
    [
        ("auto", False, True, (9, 0), CUDA, CudnnAttention()),
        ("auto", False, True, (9, 0), CPU, SdpaAttention()),
        ("auto", True, True, (9, 0), CUDA, FlashAttention4(deterministic=True)),
        ("auto", True, False, (9, 0), CUDA, SdpaAttention()),
        ("auto", True, True, (8, 0), CUDA, SdpaAttention()),
        ("auto", True, True, (9, 0), CPU, SdpaAttention()),
        ("cudnn", False, False, (8, 0), CUDA, CudnnAttention()),
        ("flash_attention_4", False, True, (9, 0), CUDA, FlashAttention4(deterministic=False)),
        ("flash_attention_4", True, True, (10, 0), CUDA, FlashAttention4(deterministic=True)),
        ("sdpa", True, True, (9, 0), CUDA, SdpaAttention()),
        ("sdpa", False, False, (9, 0), CPU, SdpaAttention()),
    ],
)
def test_a_choice_of_attention(monkeypatch, choice, deterministic, installed, capability, device, expected):
    machine(monkeypatch, installed=installed, capability=capability)
    found = choose_attention(choice, device, torch.bfloat16, 128, deterministic=deterministic)
    assert type(found) is type(expected)
    if isinstance(expected, FlashAttention4):
        assert found == expected


@pytest.mark.parametrize(
    ("choice", "deterministic", "installed", "capability", "device", "dtype", "head_dim", "said"),
    [
        ("flash_attention_4", False, False, (9, 0), CUDA, torch.bfloat16, 128, r"pip install 'trajlog\[fa4\]'"),
        ("flash_attention_4", False, True, (8, 0), CUDA, torch.bfloat16, 128, "needs a Hopper GPU"),
        ("flash_attention_4", False, True, (9, 0), CPU, torch.bfloat16, 128, "here are cpu, bfloat16 and heads of 128"),
        ("cudnn", False, False, (9, 0), CUDA, torch.float32, 128, "model.dtype to bfloat16"),
        ("cudnn", False, False, (9, 0), CUDA, torch.bfloat16, 256, "heads of 256"),
        ("cudnn", True, False, (9, 0), CUDA, torch.bfloat16, 128, "learner.deterministic is on"),
    ],
)
def test_a_choice_of_attention_that_cannot_be_is_refused_with_what_to_do(
    monkeypatch, choice, deterministic, installed, capability, device, dtype, head_dim, said
):
    machine(monkeypatch, installed=installed, capability=capability)
    with pytest.raises(ConfigError, match=said):
        choose_attention(choice, device, dtype, head_dim, deterministic=deterministic)


def test_a_package_counts_as_installed_without_being_imported():
    assert attention._installed("torch.nn.attention")
    assert not attention._installed("torch.nn.no_such_module")
    assert not attention._installed("no_such_package.cute")


_KEPT = ("logsumexp", "ends_q", "ends_k", "max_q", "max_k", "seed", "offset")


class Ops:
    """cuDNN's two operators on the CPU, by torch's attention; keeps the lengths that it was called with."""

    def __init__(self):
        self.lengths = []

    def forward(self, q, k, v, bias, wants_logsumexp, dropout, causal, debug):
        assert (bias, wants_logsumexp, dropout, causal) == (None, True, 0.0, True)
        self.lengths.append(q.shape[2])
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return (out, *_KEPT, None)

    def backward(self, pull, q, k, v, out, logsumexp, seed, offset, bias, ends_q, ends_k, max_q, max_k, *rest):
        assert (logsumexp, seed, offset, ends_q, max_k) == ("logsumexp", "seed", "offset", "ends_q", "max_k")
        with torch.enable_grad():
            leaves = [x.detach().requires_grad_() for x in (q, k, v)]
            again = torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=True, enable_gqa=True)
        assert again.shape == pull.shape == out.shape
        return torch.autograd.grad(again, leaves, pull)


@pytest.mark.parametrize("lengths", [[5, 130, 7], [128, 256], [300], [1], [127, 129]])
def test_lengths_are_rounded_up_for_cudnn_and_nothing_changes(lengths, monkeypatch):
    ops = Ops()
    monkeypatch.setattr(torch.ops.aten, "_scaled_dot_product_cudnn_attention", ops.forward)
    monkeypatch.setattr(torch.ops.aten, "_scaled_dot_product_cudnn_attention_backward", ops.backward)
    inputs = case(sum(lengths))
    documents = Documents.of(lengths, torch.device("cpu"))
    out, kept = CudnnAttention().forward(*inputs, documents)
    want, _ = SdpaAttention().forward(*inputs, documents)
    torch.testing.assert_close(out, want, rtol=1e-5, atol=1e-5)
    assert out.is_contiguous()
    pull = torch.linspace(-1, 1, out.numel()).view_as(out)
    got = CudnnAttention().backward(pull, *inputs, out, kept, documents)
    for a, b in zip(got, SdpaAttention().backward(pull, *inputs, out, None, documents), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
        assert a.is_contiguous()
    assert ops.lengths == [-(-n // 128) * 128 for n in lengths]
