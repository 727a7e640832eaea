"""A scripted engine that also tells a routing: of position p and its token, experts that name both."""

import struct
from concurrent.futures import Future
from typing import Any

import msgspec

from trajlog.serving.routed_experts import RoutedExperts
from trajlog.serving.scripted_engine import ScriptedEngine
from trajlog.serving.wire import Completion, CompletionRequest

FROM_POSITION, FROM_TOKEN = 0, 20_000


def row(position: int, token: int) -> list[list[int]]:
    """Two layers, the two experts of each."""
    return [[FROM_POSITION + position, FROM_POSITION + position + 1], [FROM_TOKEN + token, FROM_TOKEN - 1 - token]]


class RoutingEngine(ScriptedEngine):
    """Keeps what each request asked for in `starts`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.starts: list[int | None] = []

    def submit(self, request: CompletionRequest) -> "Future[Completion]":
        self.starts.append(request.routed_experts_prompt_start)
        completion = super().submit(request).result()
        fed = [*request.prompt, *completion.token_ids][:-1]
        numbers = [expert for place in enumerate(fed) for layer in row(*place) for expert in layer]
        routed = RoutedExperts((len(fed), 2, 2), "I16", struct.pack(f"<{len(numbers)}h", *numbers))
        future: Future[Completion] = Future()
        future.set_result(msgspec.structs.replace(completion, routed_experts=routed))
        return future


def rows_of(routed: RoutedExperts) -> list[list[list[int]]]:
    """[positions][layers][K]"""
    positions, layers, chosen = routed.shape
    form = f"<{positions * layers * chosen}{'B' if routed.dtype == 'U8' else 'h'}"
    numbers = iter(struct.unpack(form, routed.data))
    return [[[next(numbers) for _ in range(chosen)] for _ in range(layers)] for _ in range(positions)]
