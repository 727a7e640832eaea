import os

import torch

from trajlog.learner.determinism import set_deterministic


def test_on_asks_for_deterministic_forms_and_keeps_a_workspace_that_was_chosen(monkeypatch):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", True)
    monkeypatch.setattr(torch.utils.deterministic, "fill_uninitialized_memory", True)
    assert not torch.are_deterministic_algorithms_enabled()
    try:
        set_deterministic(False)
        assert not torch.are_deterministic_algorithms_enabled()
        assert torch.utils.deterministic.fill_uninitialized_memory
        set_deterministic(True)
        assert not torch.utils.deterministic.fill_uninitialized_memory
        assert torch.are_deterministic_algorithms_enabled()
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":16:8"
        monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
        set_deterministic(True)
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
    finally:
        torch.use_deterministic_algorithms(False)


def test_new_tensors_are_not_filled(monkeypatch):
    monkeypatch.setattr(torch.utils.deterministic, "fill_uninitialized_memory", True)
    try:
        torch.use_deterministic_algorithms(True)
        used = torch.zeros(1 << 20)
        filled = torch.empty(1 << 20)  # stays, so that its memory is not the next one's
        assert bool(filled.isnan().all())
        set_deterministic(True)
        del used
        assert not bool(torch.empty(1 << 20).isnan().all())
    finally:
        torch.use_deterministic_algorithms(False)
