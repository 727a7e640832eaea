"""Scripted demonstrations: each task's held-back solution played as tool calls, by the real agent loop.

They seed an SFT for models that solve nothing untrained. A demonstration is an episode like any other: real sandbox,
real grading, events in a log of its own; what is not solved is left out by `trajlog replay sft`.
"""

import difflib
import json
from collections.abc import Sequence

from trajlog.config import RunConfig
from trajlog.harness.task import Task
from trajlog.producers.agent import Append, Assignment, Episode
from trajlog.producers.conversation import Prompt
from trajlog.schemas import EpisodeFinished, Producer, new_id
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.tokenizers import Tokenizer
from trajlog.serving.wire import Completion, CompletionRequest

_NAME = "demonstration"


def edits(before: str, after: str) -> list[tuple[str, str]]:
    """(old_str, new_str) pairs that turn `before` into `after`, each old_str standing exactly once when its turn comes.

    >>> edits("a = 1\\nb = 1\\n", "a = 1\\nb = 2\\n")
    [('b = 1', 'b = 2')]
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    pairs: list[tuple[str, str]] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        now = [*new[:j1], *old[i1:]]  # the file when this edit's turn comes
        first, last = j1, j1 + i2 - i1
        while not _names_one_place(now, first, last):
            first, last = max(0, first - 1), min(len(now), last + (first == 0 or last - first > 2))
        pair = "".join(now[first:last]), "".join([*now[first:j1], *new[j1:j2], *now[j1 + i2 - i1 : last]])
        pairs.append(_without_last_newline(pair, "".join(now)))
    return pairs


def _names_one_place(lines: Sequence[str], first: int, last: int) -> bool:
    text, part = "".join(lines), "".join(lines[first:last])
    if (first, last) == (0, len(lines)):
        return True
    return bool(part.strip()) and text.count(part) == 1 and text.index(part) == len("".join(lines[:first]))


def _without_last_newline(pair: tuple[str, str], text: str) -> tuple[str, str]:
    short = pair[0].removesuffix("\n"), pair[1].removesuffix("\n")
    fits = pair[0].endswith("\n") and pair[1].endswith("\n") and text.count(short[0]) == 1
    return short if fits and text.index(short[0]) == text.index(pair[0]) else pair


def script(task: Task) -> Script:
    """Read, edit, test, done, for every file that the solution changes."""
    turns = []
    for path in sorted(task.solution):
        turns.append(_call("read_file", path=path))
        for old_str, new_str in edits(task.workspace[path].decode(), task.solution[path].decode()):
            turns.append(_call("edit_file", path=path, old_str=old_str, new_str=new_str))
    turns += [_call("run_tests"), _call("done")]
    return Script(marker=task.statement.strip(), turns=tuple(turns))


def play(
    task: Task, config: RunConfig, tokenizer: Tokenizer, producer: Producer, append: Append, attempt: int = 0
) -> EpisodeFinished:
    """Run one demonstration and append its events; its group is the episode alone."""
    engine = ScriptedEngine(tokenizer, [script(task)], names=[_NAME])

    def sample(prompt: Prompt, max_tokens: int) -> tuple[int, Completion]:
        request = CompletionRequest(
            model=_NAME,
            prompt=list(prompt.token_ids),
            max_tokens=max_tokens,
            stop_token_ids=list(tokenizer.stop_token_ids),
        )
        return 0, engine.submit(request).result()

    assignment = Assignment(config.run_id, new_id(), new_id(), task, attempt)
    return Episode(assignment, config, tokenizer, producer, append, sample, policy_version=0).run()


def demonstrable(tasks: Sequence[Task], turn_limit: int) -> list[Task]:
    """Tasks whose script fits the turn limit."""
    return [task for task in tasks if len(script(task).turns) <= turn_limit]


def _call(name: str, **arguments: str) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"
