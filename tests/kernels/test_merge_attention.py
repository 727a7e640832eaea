import torch

from trajlog.kernels.merge_attention import merge_into


def test_merging_by_hand():
    """Equal log-sum-exps halve; one far below counts nothing; the log-sum-exp is of both."""
    out, other = torch.tensor([[[2.0]], [[2.0]]]), torch.tensor([[[4.0]], [[4.0]]])
    merged = merge_into(out, torch.tensor([[1.0, 50.0]]), other, torch.tensor([[1.0, -50.0]]))
    torch.testing.assert_close(out, torch.tensor([[[3.0]], [[2.0]]]))
    torch.testing.assert_close(merged, torch.tensor([[1.0 + 0.6931472, 50.0]]))


def test_merging_keeps_the_outputs_type():
    generator = torch.Generator().manual_seed(0)
    parts = [torch.randn(6, 4, 8, generator=generator).bfloat16() for _ in range(2)]
    lse = [torch.randn(4, 6, generator=generator) for _ in range(2)]
    want = [x.float() for x in parts]
    merged = merge_into(want[0], lse[0], want[1], lse[1])
    assert torch.equal(merge_into(parts[0], lse[0], parts[1], lse[1]), merged)
    assert torch.equal(parts[0], want[0].bfloat16())
