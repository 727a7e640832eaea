"""cuDNN's two attention operators, for the CPU: torch's own CPU kernel, which takes and gives the same."""

import torch

flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
flash_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


class CudnnOps:
    """Keeps the (queries, keys, causal) that it was called with."""

    def __init__(self):
        self.sizes = []

    @classmethod
    def install(cls, monkeypatch):
        ops = cls()
        monkeypatch.setattr(torch.ops.aten, "_scaled_dot_product_cudnn_attention", ops.forward)
        monkeypatch.setattr(torch.ops.aten, "_scaled_dot_product_cudnn_attention_backward", ops.backward)
        return ops

    def forward(self, q, k, v, bias, wants_logsumexp, dropout, causal, debug):
        assert (bias, wants_logsumexp, dropout) == (None, True, 0.0)
        self.sizes.append((q.shape[2], k.shape[2], causal))
        out, lse = flash(q, k, v, 0.0, causal)
        return out, lse.contiguous()[..., None], None, None, q.shape[2], k.shape[2], "seed", "offset", None

    def backward(self, pull, q, k, v, out, lse, seed, offset, bias, ends_q, ends_k, max_q, max_k, dropout, causal):
        assert (seed, offset, bias, ends_q, ends_k, dropout) == ("seed", "offset", None, None, None, 0.0)
        assert (max_q, max_k) == (q.shape[2], k.shape[2])
        assert lse.shape == (*q.shape[:3], 1)
        return flash_backward(pull, q, k, v, out, lse[..., 0], 0.0, causal)
