"""What the routers of a mixture choose while a model runs, for engines that tell it (routed_experts.py)."""

from typing import Any

import torch
from torch import Tensor, nn

from trajlog.errors import ModelError
from trajlog.kernels.qwen3_moe_peft import MODEL_TYPE
from trajlog.serving.routed_experts import RoutedExperts


class RouterChoices:
    """Listens to every router of a transformers Qwen3-MoE from now on."""

    def __init__(self, model: Any) -> None:
        """Raises ModelError for another model."""
        if model.config.model_type != MODEL_TYPE:
            raise ModelError(
                f"{type(model).__name__} has no routers whose choices could be told: leave router_replay.directory "
                "empty, or set model.name to a Qwen3-MoE"
            )
        routers = [layer.mlp.gate for layer in model.model.layers if hasattr(layer.mlp, "gate")]
        self._dtype = torch.uint8 if model.config.num_experts <= 256 else torch.int16
        self._chosen: list[Tensor] = []
        for router in routers:
            router.register_forward_hook(self._hear)

    def take(self) -> Tensor:
        """Choices of the pass that ended, [T, layers, K] on the CPU, uint8 for up to 256 experts, else int16."""
        chosen = torch.stack(self._chosen, dim=1).to(self._dtype).cpu()
        self._chosen.clear()
        return chosen

    def _hear(self, _router: nn.Module, _inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        self._chosen.append(output[2])


def encode_choices(choices: Tensor) -> RoutedExperts:
    """From [positions, layers, K], uint8 or int16, as RouterChoices gives them."""
    positions, layers, top_k = choices.shape
    array = choices.numpy()
    little_endian = array.astype(array.dtype.newbyteorder("<"))
    return RoutedExperts((positions, layers, top_k), "U8" if array.itemsize == 1 else "I16", little_endian.tobytes())
