"""Scripted demonstrations: the oracle's moves played as episodes by the real agent loop.

They seed an SFT. A demonstration is an episode like any other: real sandbox, real debugger, real grading, events in a
log; what is not solved is left out by `trajlog replay sft`. Its log-probabilities are 0.0, which is true of a policy
that could not have done otherwise.
"""

from collections.abc import Sequence

from trajlog.config import RunConfig
from trajlog.control_arm import offered_tools
from trajlog.harness.sandbox import LocalSandbox, SandboxFactory
from trajlog.harness.task import Task
from trajlog.producers.agent import Append, Assignment, Episode
from trajlog.producers.conversation import Prompt
from trajlog.producers.oracle import Move, Moves, Seen, Variant, solve
from trajlog.producers.tool_calls import FORMATS, Call, ToolFormat
from trajlog.schemas import EpisodeFinished, Event, Observation, Producer, new_id
from trajlog.serving.tokenizers import Tokenizer
from trajlog.serving.wire import Completion

TERSE = Variant(terse=True)


def play(
    task: Task,
    config: RunConfig,
    tokenizer: Tokenizer,
    producer: Producer,
    append: Append,
    *,
    how: Variant = TERSE,
    attempt: int = 0,
    make_sandbox: SandboxFactory = LocalSandbox,
) -> EpisodeFinished:
    """Run one demonstration and append its events; its group is the episode alone."""
    script = _Script(
        solve(task, how, config.seed, offered_tools(config.episode)), FORMATS[config.episode.tool_format], tokenizer
    )

    def watched(events: Sequence[Event]) -> None:
        append(events)
        script.watch(events)

    assignment = Assignment(config.run_id, new_id(), new_id(), task, attempt)
    episode = Episode(
        assignment, config, tokenizer, producer, watched, script.sample, policy_version=0, make_sandbox=make_sandbox
    )
    return episode.run()


class _Script:
    """An engine for one episode: its answers are the moves, which see what the harness observed in between."""

    def __init__(self, moves: Moves, form: ToolFormat, tokenizer: Tokenizer) -> None:
        self._moves = moves
        self._form = form
        self._tokenizer = tokenizer
        self._seen: Seen | None = None

    def watch(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Observation):
                self._seen = Seen(event.content, event.is_error)

    def sample(self, prompt: Prompt, max_tokens: int) -> tuple[int, Completion]:
        text = self._text(next(self._moves) if self._seen is None else self._moves.send(self._seen))
        ids = [*self._tokenizer.encode(text), self._tokenizer.stop_token_ids[0]]
        shown = ids[:max_tokens]
        whole = len(shown) == len(ids)
        return 0, Completion(
            token_ids=shown,
            logprobs=[0.0] * len(shown),
            text=text if whole else self._tokenizer.decode(shown),
            finish_reason="stop" if whole else "length",
        )

    def _text(self, move: Move) -> str:
        call = self._form.render([Call(move.name, move.arguments)])
        return f"{move.thought}\n{call}" if move.thought else call


def demonstrable(tasks: Sequence[Task], turn_limit: int) -> list[Task]:
    """Tasks whose terse demonstration fits the turn limit."""
    return [task for task in tasks if sum(1 for _ in solve(task, TERSE)) <= turn_limit]
