"""Keys and values of finished requests, kept so that the next turn of a conversation reads only what is new; and the
routers' choices beside them, where they are asked for.

An entry belongs to one model name (one adapter version): other weights make other keys. A prompt that begins with a
whole entry takes that entry (a conversation that grew); one that shares only a part, as the members of a group share
their first prompt, copies the part. Least recently used entries go first when the bound in tokens is passed.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np

from trajlog.serving.ragged import Row

MIN_SHARED_TOKENS = 16
"""A shorter shared prefix is read again rather than copied."""


class PrefixCache:
    """Not thread-safe: the engine's thread owns it. `max_tokens` counts room held, not only tokens done; 0 = off."""

    def __init__(self, max_tokens: int):
        self._max_tokens = max_tokens
        self._entries: OrderedDict[int, tuple[str, np.ndarray, Row]] = OrderedDict()
        self._next_id = 0
        self.num_tokens = 0
        """Sum of the entries' capacities."""

    def put(self, model: str, tokens: Sequence[int], row: Row) -> None:
        """Keep a row whose first `num_done` tokens are those of `tokens`."""
        if not row.num_done >= MIN_SHARED_TOKENS or row.capacity > self._max_tokens:
            return
        self._entries[self._next_id] = (model, np.asarray(tokens[: row.num_done], dtype=np.int64), row)
        self._next_id += 1
        self.num_tokens += row.capacity
        while self.num_tokens > self._max_tokens:
            self._remove(next(iter(self._entries)))

    def take(
        self, model: str, prompt: Sequence[int], capacity: int, running: Iterable[tuple[str, Sequence[int], Row]]
    ) -> Row:
        """A row with room for `capacity` tokens that has the longest known prefix of `prompt` done.

        At least the prompt's last token is left to do, since its logits are needed. `running` are rows in use
        (model, tokens, row), from which a prefix can be copied too.
        """
        wanted = np.asarray(prompt[:-1], dtype=np.int64)
        best, best_id, source = MIN_SHARED_TOKENS - 1, None, None
        for entry_id, (name, tokens, row) in self._entries.items():
            if name == model and (shared := shared_prefix(tokens, wanted)) > best:
                best, best_id, source = shared, entry_id, row
        for name, tokens, row in running:
            if name == model and row.num_done > best:
                shared = shared_prefix(tokens[: row.num_done], wanted)
                if shared > best:
                    best, best_id, source = shared, None, row
        if source is None:
            fresh = Row(0)
            fresh.reserve(capacity)
            return fresh
        if best_id is not None and best == source.num_done:
            self._remove(best_id)
            source.reserve(capacity)
            return source
        if best_id is not None:
            self._entries.move_to_end(best_id)
        return source.copy_prefix(best, capacity)

    def drop(self, model: str) -> None:
        """Forget a model's entries (its adapter is gone)."""
        for entry_id in [i for i, (name, _, _) in self._entries.items() if name == model]:
            self._remove(entry_id)

    def _remove(self, entry_id: int) -> None:
        _, _, row = self._entries.pop(entry_id)
        self.num_tokens -= row.capacity


def shared_prefix(a: Sequence[int] | np.ndarray, b: Sequence[int] | np.ndarray) -> int:
    """Number of equal tokens at the beginning."""
    n = min(len(a), len(b))
    different = np.flatnonzero(np.asarray(a[:n]) != np.asarray(b[:n]))
    return int(different[0]) if len(different) else n
