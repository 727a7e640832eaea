import torch

from trajlog.learner.to_device import to_device


def test_on_the_host_a_tensor_stays_as_it_is():
    tensor = torch.arange(3)
    assert to_device(tensor, torch.device("cpu")) is tensor
