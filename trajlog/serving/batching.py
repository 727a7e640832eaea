"""What runs in the next step of the transformers engine: which rows, and how many tokens of each.

Rows that decode take one token each, always. Beside them prompts are read, oldest request first, at most
PREFILL_TOKENS in one step. A request whose prompt begins as one that is being read right now waits and copies that
row's keys and values instead of computing them again: the members of a group share their first prompt.
"""

import random
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from trajlog.serving.prefix_cache import MIN_SHARED_TOKENS, shared_prefix
from trajlog.serving.ragged import Row, Span
from trajlog.serving.wire import Completion, CompletionRequest

PREFILL_TOKENS = 256
"""Prompt tokens read in one step at most: running generations wait no longer than for these."""


class Generation:
    """One request while it waits or runs."""

    def __init__(self, request: CompletionRequest, stops: frozenset[int]):
        self.request = request
        self.future: Future[Completion] = Future()
        self.tokens = list(request.prompt)
        self.logprobs: list[float | None] = []
        self.row: Row | None = None
        self.stops = stops
        self.draws = random.Random(request.seed)

    @property
    def capacity(self) -> int:
        return len(self.request.prompt) + self.request.max_tokens

    @property
    def finish_reason(self) -> str | None:
        if self.logprobs and self.tokens[-1] in self.stops:
            return "stop"
        return "length" if len(self.logprobs) >= self.request.max_tokens else None


def row_of(generation: Generation) -> Row:
    """The row of a generation that has begun."""
    assert generation.row is not None
    return generation.row


def plan_step(running: Sequence[Generation], begin: Callable[[Generation], Row]) -> list[tuple[Generation, Span]]:
    """Spans of the next step, at least one if anything runs; `begin` gives a generation its row."""
    decoding = [g for g in running if g.row is not None and len(g.tokens) - g.row.num_done == 1]
    planned = [(g, Span(row_of(g), g.tokens[-1:])) for g in decoding]
    budget = PREFILL_TOKENS
    for generation in running:
        if not budget or generation in decoding:
            continue
        if generation.row is None:
            if _is_being_read(generation, running):
                continue
            generation.row = begin(generation)
        todo = generation.tokens[generation.row.num_done :][:budget]
        planned.append((generation, Span(generation.row, todo)))
        budget -= len(todo)
    return planned


def _is_being_read(generation: Generation, running: Sequence[Generation]) -> bool:
    """Whether another row is reading a prefix of the same prompt, enough of it to wait for."""
    request = generation.request
    return any(
        other.row is not None
        and other.request.model == request.model
        and other.row.num_done < len(other.request.prompt)
        and shared_prefix(other.request.prompt, request.prompt) - other.row.num_done >= MIN_SHARED_TOKENS
        for other in running
    )
