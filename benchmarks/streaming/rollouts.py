"""Seeded rollouts as the worker appends them: real events, made-up content.

A rollout has 30 turns on average. A turn is two appends: a generation (200 tokens on average, with log-probabilities,
and as many new prompt tokens as the answer before it had) with its tool calls, then the observations, 3 KB each on
average and cut at 8 KiB as the worker cuts them. Before them stands episode_started, after them episode_finished.

Text and tokens are spliced from a seeded pool of words, so they compress like text of few words: no compression ratio
measured on them is one of real rollouts.
"""

import json
import random
import re
from array import array
from collections.abc import Iterator
from typing import Any

from trajlog.schemas import (
    EpisodeFinished,
    EpisodeStarted,
    Event,
    Generation,
    Observation,
    Producer,
    ToolCall,
    VersionRun,
    token_digest,
)

RUN_ID = "stream"
GROUP_SIZE = 8
VOCABULARY = 151_936
POOL = 200_000
KEPT_BYTES = 8192
CONTEXT_LIMIT = 1_000_000
"""So large that no made-up episode is overlong."""
CHARS_PER_TOKEN = 4
TOOLS = ("bash", "read_file", "edit_file", "run_tests", "debug_step", "debug_inspect")
WORDS = re.findall(
    r"\w+",
    "the value of index in list is none where class calls itself twice and order total price cart line error trace "
    "return import test fails assert equal lock thread waits state file path module name expected found cache key",
)

Batch = list[Event]
"""What one call of append holds, or what one record of it does."""
SHAPES = ("natural", "one event")


def shaped(episode: list[Batch], shape: str) -> list[Batch]:
    """An episode's batches, each to be encoded on its own: as they are appended, or every event a record of its own."""
    return episode if shape == "natural" else [[event] for batch in episode for event in batch]


class Rollouts:
    """A stream of rollouts; the same seed gives the same content (ids and clocks are the producer's)."""

    def __init__(self, seed: int = 7) -> None:
        self._rng = rng = random.Random(seed)
        self._producer = Producer("bench", f"{seed:08x}")
        words = [w if rng.random() < 0.75 else f"{w}_{rng.getrandbits(20):x}" for w in rng.choices(WORDS, k=POOL // 4)]
        self._text = " ".join(words)
        # Token frequencies fall like 1 / rank, as those of text do.
        self._tokens = tuple(int(VOCABULARY ** rng.random()) - 1 for _ in range(POOL))
        self._logprobs = tuple(array("f", [-rng.expovariate(2.0) for _ in range(POOL)]))

    def episodes(self, count: int, prefix: str = "g") -> Iterator[list[Batch]]:
        """Episodes of groups `<prefix>0`, `<prefix>1`, ..., GROUP_SIZE each, one after another."""
        for number in range(count):
            yield self.episode(f"{prefix}{number // GROUP_SIZE}", f"{prefix}{number}", number % GROUP_SIZE)

    def episode(self, group_id: str, episode_id: str, attempt: int, num_turns: int | None = None) -> list[Batch]:
        rng = self._rng
        seq = iter(range(1_000_000))

        def stamp() -> dict[str, Any]:
            return self._producer.stamp(RUN_ID, group_id=group_id, episode_id=episode_id, seq=next(seq))

        num_turns = num_turns or max(1, round(rng.gauss(30, 8)))
        task_id = f"task_{group_id}"
        batches: list[Batch] = [[self._started(stamp(), task_id, attempt)]]
        num_context, num_generated, new_prompt = 0, 0, 900
        context: list[int] = []
        for turn in range(num_turns):
            num_tokens = max(8, round(rng.gauss(200, 60)))
            prompt = self._slice(self._tokens, new_prompt)
            generated = self._slice(self._tokens, num_tokens)
            generation = Generation(
                **stamp(),
                turn=turn,
                chain=0,
                prefix_len=num_context,
                prefix_sha256=token_digest(context),
                prompt_token_ids=prompt,
                token_ids=generated,
                logprobs=self._slice(self._logprobs, num_tokens),
                policy_versions=(VersionRun(3, num_tokens),),
                text=self._slice(self._text, CHARS_PER_TOKEN * num_tokens),
                finish_reason="stop",
                latency_s=num_tokens / 50,
            )
            context += [*prompt, *generated]
            num_context, num_generated = len(context), num_generated + num_tokens
            num_calls = 2 if rng.random() < 0.2 else 1
            names = rng.choices(TOOLS, k=num_calls)
            calls: list[Event] = [
                ToolCall(
                    **stamp(), turn=turn, call_id=f"call_{turn}_{i}", name=name, arguments=json.dumps(self._arguments())
                )
                for i, name in enumerate(names)
            ]
            batches.append([generation, *calls])
            observations = [self._observation(stamp(), turn, i, name) for i, name in enumerate(names)]
            batches.append([*observations])
            new_prompt = sum(len(o.content) for o in observations) // CHARS_PER_TOKEN + 12
        batches.append([self._finished(stamp(), task_id, attempt, num_turns, num_generated)])
        return batches

    def _slice(self, pool: Any, count: int) -> Any:
        start = self._rng.randrange(len(pool) - count)
        return pool[start : start + count]

    def _arguments(self) -> dict[str, str]:
        path = f"src/module_{self._rng.randrange(40)}.py"
        return {"path": path, "text": self._slice(self._text, max(10, round(self._rng.gauss(90, 30))))}

    def _observation(self, stamp: dict[str, Any], turn: int, index: int, name: str) -> Observation:
        num_chars = round(min(KEPT_BYTES, max(20, self._rng.lognormvariate(7.7, 1.0))))
        return Observation(
            **stamp,
            turn=turn,
            call_id=f"call_{turn}_{index}",
            name=name,
            content=self._slice(self._text, num_chars),
            is_error=self._rng.random() < 0.1,
            exit_code=0,
            duration_s=self._rng.expovariate(2.0),
            format_error=False,
            changed_code=name == "edit_file",
            debugger_state="exited",
        )

    def _started(self, stamp: dict[str, Any], task_id: str, attempt: int) -> EpisodeStarted:
        messages = [
            {"role": "system", "content": self._slice(self._text, 1200)},
            {"role": "user", "content": self._slice(self._text, 2000)},
        ]
        tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in TOOLS]
        return EpisodeStarted(
            **stamp,
            task_id=task_id,
            attempt=attempt,
            task_category="shared_state",
            task_difficulty=2,
            task_debugger="optional",
            policy_version=3,
            model="bench",
            sampling={"temperature": 1.0, "top_p": 1.0, "max_tokens": 512.0},
            tools=json.dumps(tools),
            messages=json.dumps(messages),
            context_limit=CONTEXT_LIMIT,
            turn_limit=100,
            debugger_arm="offered",
            tool_format="hermes",
            group_size=GROUP_SIZE,
        )

    def _finished(
        self, stamp: dict[str, Any], task_id: str, attempt: int, num_turns: int, num_generated: int
    ) -> EpisodeFinished:
        solved = attempt % 2 == 0  # every group is mixed, so every full group is sealed
        return EpisodeFinished(
            **stamp,
            task_id=task_id,
            outcome="solved" if solved else "failed",
            reward=1.0 if solved else -1.0,
            reward_components={"tests": 1.0 if solved else -1.0},
            num_turns=num_turns,
            num_generated_tokens=num_generated,
            tests_passed=4,
            tests_failed=0 if solved else 2,
            ending="done",
            tests_passed_before=2,
            changed_code=True,
            localized=solved,
            flags=(),
            tool_usage=dict.fromkeys(TOOLS, 5),
            debugger_arm="offered",
            debugger_fits=True,
        )
