"""Side files of routed experts, drawn at random, for groups and episodes made by hand."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from trajlog.learner.recorded_routing import spans
from trajlog.schemas import Event, Generation, GroupSealed, TurnRouting
from trajlog.serving.routed_experts import RoutedExperts, first_position, save_routed_experts

NUM_LAYERS, TOP_K, NUM_EXPERTS = 2, 2, 8
"""Of tiny_qwen3_moe."""


def drawn(num_positions: int, seed: int) -> Tensor:
    """Distinct experts for every token and layer, int16 [positions, 2, 2]."""
    generator = torch.Generator().manual_seed(seed)
    ranked = torch.rand(num_positions, NUM_LAYERS, NUM_EXPERTS, generator=generator).argsort(-1)
    return ranked[..., :TOP_K].to(torch.int16)


def side_file(folder: Path, rows: Tensor) -> tuple[str, str]:
    data = rows.to(torch.uint8).numpy().tobytes()
    return save_routed_experts(folder, RoutedExperts(tuple(rows.shape), "U8", data))


def recorded(group: GroupSealed, folder: Path, seed: int = 0) -> GroupSealed:
    """The group with a side file for every turn."""
    files = [
        TurnRouting(index, span.turn, *side_file(folder, drawn(span.end - span.first, seed + 100 * index + place)))
        for index, chain in enumerate(group.chains)
        for place, span in enumerate(spans(chain))
    ]
    return msgspec.structs.replace(group, routed_experts=tuple(files))


def recorded_episode(events: Sequence[Event], folder: Path, seed: int) -> list[Event]:
    """The episode with a side file for every generation."""
    found: list[Event] = []
    for number, event in enumerate(events):
        if isinstance(event, Generation):
            end = event.prefix_len + len(event.prompt_token_ids) + len(event.token_ids) - 1
            rows = drawn(end - first_position(event.prefix_len), seed + number)
            uri, sha256 = side_file(folder, rows)
            event = msgspec.structs.replace(event, routed_experts_uri=uri, routed_experts_sha256=sha256)
        found.append(event)
    return found
