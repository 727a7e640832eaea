"""Near-duplicates: how much of one task's source stands in another's, by runs of tokens.

Two measures, because a template can be stamped out in two ways. `text` compares runs of 6 tokens as written: it finds
copied code. `shape` compares runs of 14 tokens in which every name, number and string is one and the same token: it
finds code whose names were changed. Each is the share of the smaller task's runs that the other has too (0 to 1);
comments, strings (in `text`) and layout count for nothing, tests neither.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Mapping
from itertools import combinations

import msgspec

from trajlog.harness.task import Task

TEXT_RUN, SHAPE_RUN = 6, 14
LIMIT = 0.25
"""Share above which two tasks count as near-duplicates, in either measure."""

_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}

Run = tuple[str, ...]


class Pair(msgspec.Struct, frozen=True):
    one: str
    other: str
    text: float
    shape: float

    @property
    def worst(self) -> float:
        return max(self.text, self.shape)

    def row(self) -> dict[str, str]:
        return {"one": self.one, "other": self.other, "text": f"{self.text:.1%}", "shape": f"{self.shape:.1%}"}


def compare(tasks: Mapping[str, Task]) -> list[Pair]:
    """Every pair of tasks, the most alike first."""
    runs = {
        task_id: (_runs(task, TEXT_RUN, shape=False), _runs(task, SHAPE_RUN, shape=True))
        for task_id, task in tasks.items()
    }
    pairs = [
        Pair(one, other, _share(runs[one][0], runs[other][0]), _share(runs[one][1], runs[other][1]))
        for one, other in combinations(sorted(runs), 2)
    ]
    return sorted(pairs, key=lambda pair: (-pair.worst, pair.one, pair.other))


def _share(one: frozenset[Run], other: frozenset[Run]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _runs(task: Task, length: int, *, shape: bool) -> frozenset[Run]:
    found: set[Run] = set()
    for path in task.source_files:
        if path.endswith(".py"):
            tokens = _tokens(task.workspace[path], shape=shape)
            found.update(tuple(tokens[i : i + length]) for i in range(len(tokens) - length + 1))
    return frozenset(found)


def _tokens(source: bytes, *, shape: bool) -> list[str]:
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source.decode()).readline):
        if token.type in _LAYOUT or (token.type == tokenize.STRING and not shape):
            continue
        is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        if shape and (is_name or token.type in (tokenize.NUMBER, tokenize.STRING)):
            found.append(tokenize.tok_name[token.type])
        else:
            found.append(token.string)
    return found
