"""Whole episodes encoded once and sent many times: the simulated workers' events, each time under other ids.

An episode is what producers/agent.py appends, batch by batch: its start; per turn a generation with its call, then the
observation; its end. The events are the project's own structs through its own encoder. Then ids and times are replaced
in the encoded bytes (same lengths, at places found and checked by decoding) and the checksum is computed anew, so that
a simulated worker costs next to nothing beside what it feeds. Text is source code of the standard library, token ids
are skewed as a vocabulary's are, log-probabilities do not compress.
"""

import inspect
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from trajlog.schemas import (
    EpisodeFinished,
    EpisodeStarted,
    Event,
    Generation,
    Observation,
    Producer,
    ToolCall,
    VersionRun,
    decode,
    encode,
    new_id,
    token_digest,
)
from trajlog.schemas.codec import checksum
from trajlog.schemas.record import Headers, NewRecord

GROUP_SIZE = 12
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TRIES = 200


@dataclass(frozen=True)
class Size:
    """Of an episode; per turn tokens of context, tokens generated, characters of text and of an observation."""

    turns: int
    prompt_tokens: int
    tokens: int
    text: int
    observation: int

    @property
    def num_events(self) -> int:
        return 2 + 3 * self.turns


SIZES = {
    "small": Size(turns=6, prompt_tokens=100, tokens=50, text=200, observation=400),
    "real": Size(turns=30, prompt_tokens=1400, tokens=400, text=1600, observation=5500),
}
"""real: 92 events and 0.45 MB before log-probabilities. small: so that ten thousand fit on a small machine."""


class Template:
    """One encoded record; `patched` gives it other ids and another time."""

    def __init__(self, event: Event) -> None:
        self.num_events = 1
        for _ in range(_TRIES):
            ids = (new_id(), str(uuid4()), str(uuid4()))
            fields = ("event_id", "group_id", "episode_id")
            moment = datetime.now(UTC) + timedelta(microseconds=random.randrange(10**9))
            marked = _with(event, dict(zip(fields, ids, strict=True)) | {"emitted_at": moment})
            (record,) = encode([marked])
            self._headers: Headers = tuple(pair for pair in record.headers if pair[0] != "crc32")
            self.nbytes = decode(record.headers, record.value).batch.nbytes
            places = [(record.value.find(mark), mark) for mark in (*map(str.encode, ids), _micros(moment))]
            if min(place for place, _ in places) < 0:
                continue
            self._order = sorted(range(4), key=lambda index, places=places: places[index][0])
            cuts = [0, *(edge for i in self._order for edge in (places[i][0], places[i][0] + len(places[i][1])))]
            bounds = [*cuts, len(record.value)]
            self._pieces = [record.value[bounds[i] : bounds[i + 1]] for i in range(0, len(bounds), 2)]
            if self._holds():
                return
        raise SystemExit(f"{event.kind}: no encoding found whose ids can be replaced in place")

    def patched(self, event_id: bytes, group_id: bytes, episode_id: bytes, micros: bytes) -> NewRecord:
        values = (event_id, group_id, episode_id, micros)
        first, second, third, fourth = (values[index] for index in self._order)
        a, b, c, d, e = self._pieces
        value = b"".join((a, first, b, second, c, third, d, fourth, e))
        return NewRecord(group_id, (*self._headers, ("crc32", checksum(self._headers, value))), value)

    def _holds(self) -> bool:
        """Whether replaced ids are what a reader decodes."""
        ids, moment = (new_id(), str(uuid4()), str(uuid4())), _EPOCH + timedelta(days=20_000, microseconds=12_345)
        record = self.patched(*map(str.encode, ids), _micros(moment))
        row = decode(record.headers, record.value).batch.to_pylist()[0]
        return (row["event_id"], row["group_id"], row["episode_id"], row["emitted_at"]) == (*ids, moment)


Batch = tuple[Template, ...]
"""What a worker appends at once."""


def _with(event: Event, values: dict[str, Any]) -> Event:
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return type(event)(**(fields | values))


def _micros(moment: datetime) -> bytes:
    return ((moment - _EPOCH) // timedelta(microseconds=1)).to_bytes(8, "little")


def now_micros() -> bytes:
    return (time.time_ns() // 1000).to_bytes(8, "little")


def episode(size: Size, solved: bool, run_id: str, seed: int = 0) -> Iterator[list[Event]]:
    """The batches of one episode, as structs."""
    chance = random.Random(seed)
    source = inspect.getsource(inspect) + inspect.getsource(random)
    producer, seq, chain = Producer("worker-sim"), 0, []

    def stamp() -> dict[str, Any]:
        nonlocal seq
        seq += 1
        return producer.stamp(run_id, group_id=str(uuid4()), episode_id=str(uuid4()), seq=seq - 1)

    def text(length: int) -> str:
        start = chance.randrange(len(source) - length)
        return source[start : start + length]

    def ids(count: int) -> tuple[int, ...]:
        return tuple(min(int(math.exp(chance.uniform(0, 11.9))), 150_000) for _ in range(count))

    sampling = {"temperature": 1.0, "top_p": 1.0, "max_tokens": 512.0}
    yield [
        EpisodeStarted(
            **stamp(),
            task_id="task-1",
            attempt=0,
            policy_version=0,
            model="simulated",
            sampling=sampling,
            tools='[{"type": "function", "function": {"name": "bash"}}]',
            messages="[]",
            context_limit=10**6,
            turn_limit=size.turns,
            group_size=GROUP_SIZE,
        )
    ]
    for turn in range(size.turns):
        prompt, tokens = ids(size.prompt_tokens), ids(size.tokens)
        generation = Generation(
            **stamp(),
            turn=turn,
            chain=0,
            prefix_len=len(chain),
            prefix_sha256=token_digest(chain),
            prompt_token_ids=prompt,
            token_ids=tokens,
            logprobs=tuple(math.log(chance.uniform(0.01, 1.0)) for _ in tokens),
            policy_versions=(VersionRun(0, len(tokens)),),
            text=text(size.text),
            finish_reason="stop",
            latency_s=1.5,
        )
        chain += [*prompt, *tokens]
        call = ToolCall(**stamp(), turn=turn, call_id=f"call_{turn}_0", name="bash", arguments=text(size.text // 3))
        yield [generation, call]
        answer = {"content": text(size.observation), "exit_code": 0, "duration_s": 0.2, "changed_code": False}
        yield [Observation(**stamp(), turn=turn, call_id=f"call_{turn}_0", name="bash", **answer)]
    yield [
        EpisodeFinished(
            **stamp(),
            task_id="task-1",
            outcome="solved" if solved else "failed",
            reward=1.0 if solved else -1.0,
            reward_components={"outcome": 1.0 if solved else -1.0},
            num_turns=size.turns,
            num_generated_tokens=size.turns * size.tokens,
            tests_passed=3 if solved else 1,
            tests_failed=0 if solved else 2,
        )
    ]


def templates(size: Size, run_id: str) -> tuple[Sequence[Batch], Sequence[Batch]]:
    """A failed and a solved episode: members of a group alternate, so that it is worth sealing."""
    failed, solved = (
        [tuple(map(Template, batch)) for batch in episode(size, solved, run_id, seed=int(solved))]
        for solved in (False, True)
    )
    return failed, solved


def encoding_cost(size: Size, seconds: float = 2.0) -> dict[str, float]:
    """What a worker pays that the simulated ones do not: CPU to make an episode's structs and to encode them."""
    events, made, encoded = 0, 0.0, 0.0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for batch in episode(size, True, "sim"):
            began = time.process_time()
            copies = [_with(event, {}) for event in batch]
            made += time.process_time() - began
            began = time.process_time()
            encode(copies)
            encoded += time.process_time() - began
            events += len(copies)
    return {"struct_us_per_event": 1e6 * made / events, "encode_us_per_event": 1e6 * encoded / events}
