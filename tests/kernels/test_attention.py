import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trajlog.kernels.attention import CudnnAttention, Documents, SdpaAttention, default_attention


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


def test_documents_by_hand():
    documents = Documents.of([2, 1, 3], torch.device("cpu"))
    assert documents.ends.tolist() == [0, 2, 3, 6]
    assert documents.ends.dtype == torch.int32
    assert documents.positions.tolist() == [0, 1, 0, 0, 1, 2]
    for lengths in ([], [3, 0]):
        with pytest.raises(ValueError, match="none empty"):
            Documents.of(lengths, torch.device("cpu"))


def test_the_default_backend_takes_the_tensors():
    cuda, cpu = torch.device("cuda"), torch.device("cpu")
    assert isinstance(default_attention(cuda, torch.bfloat16, 128), CudnnAttention)
    assert isinstance(default_attention(cuda, torch.float32, 128), SdpaAttention)
    assert isinstance(default_attention(cuda, torch.bfloat16, 256), SdpaAttention)
    assert isinstance(default_attention(cpu, torch.bfloat16, 128), SdpaAttention)
