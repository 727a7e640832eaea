"""How fast the assembler folds on one core, and how fast it writes a full group.

    python benchmarks/fold.py --quick

`natural`: records as a worker appends them: per turn a generation, its calls, their answers; 30 turns, 200 generated
tokens and 400 new prompt tokens a turn; `4 calls`: four calls a turn; `long`: 2,000 new prompt tokens, which are
compressed. `one event`: four calls, every event a record of its own. `decode` reads the columns that the fold needs;
`fold` takes them in; `both` is what the assembler does per record. `full decode` is what building all columns costs, as
the archiver does. `seal` is from the decision to the record of a group of 12 episodes of 10,000 tokens, encoded. All in
CPU time of this process, so that other work on the machine does not count.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from trajlog.config import GroupConfig, RunConfig
from trajlog.schemas import (
    EpisodeFinished,
    EpisodeStarted,
    Event,
    Generation,
    NewRecord,
    Observation,
    Producer,
    ToolCall,
    VersionRun,
    decode,
    encode,
    token_digest,
)
from trajlog.schemas.columns import read_columns
from trajlog.stream.assembler import sealed_records
from trajlog.stream.assembly import Assembly, GroupDecision, Ledger
from trajlog.stream.trajectory import facts

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLE_S = 0.5
CONFIG = RunConfig(run_id="bench", group=GroupConfig(group_size=12))
WORKER = Producer("bench")
TEXT = "The traceback names `merge`, which returns early when the second list is empty. I look at it first.\n"


def episode_turns(
    group: str, name: str, turns: int = 30, generated: int = 200, prompt: int = 400, calls: int = 1, seed: int = 0
) -> list[list[Event]]:
    """Events of one episode, in the lists in which a worker appends them."""
    chance = random.Random(f"{group}{name}{seed}")
    seq = iter(range(1_000_000))

    def stamp() -> dict:
        return WORKER.stamp("bench", group_id=group, episode_id=name, seq=next(seq))

    appends: list[list[Event]] = [
        [
            EpisodeStarted(
                **stamp(),
                task_id="t",
                attempt=0,
                policy_version=1,
                model="m",
                sampling={"temperature": 1.0},
                tools="[]",
                messages="[]",
                context_limit=32768,
                turn_limit=50,
                group_size=12,
            )
        ]
    ]
    tokens: list[int] = []
    for turn in range(turns):
        new = [chance.randrange(150_000) for _ in range(prompt)]
        sampled = [chance.randrange(150_000) for _ in range(generated)]
        events: list[Event] = [
            Generation(
                **stamp(),
                turn=turn,
                chain=0,
                prefix_len=len(tokens),
                prefix_sha256=token_digest(tokens),
                prompt_token_ids=tuple(new),
                token_ids=tuple(sampled),
                logprobs=tuple(-chance.random() for _ in sampled),
                policy_versions=(VersionRun(1, generated),),
                text=TEXT * (generated // 25),
                finish_reason="stop",
                latency_s=3.2,
            )
        ]
        tokens += new + sampled
        ids = [f"call_{turn}_{number}" for number in range(calls)]
        arguments = '{"command": "python -m pytest tests -x -q"}'
        events += [ToolCall(**stamp(), turn=turn, call_id=i, name="bash", arguments=arguments) for i in ids]
        answers: list[Event] = [
            Observation(**stamp(), turn=turn, call_id=i, name="bash", content=TEXT * 15, duration_s=0.4) for i in ids
        ]
        appends += [events, answers]
    reward = chance.random()
    appends.append(
        [
            EpisodeFinished(
                **stamp(),
                task_id="t",
                outcome="failed",
                reward=reward,
                reward_components={"tests": reward},
                num_turns=turns,
                num_generated_tokens=generated * turns,
            )
        ]
    )
    return appends


def natural_records(num_groups: int, members: int = 12, one_event: bool = False, **shape: int) -> list[NewRecord]:
    """Records of whole groups, the episodes of a group side by side."""
    records: list[NewRecord] = []
    for group in range(num_groups):
        episodes = [episode_turns(f"group-{group:06}", f"episode-{group:06}-{m:02}", **shape) for m in range(members)]
        for appends in zip(*episodes, strict=True):
            for events in appends:
                records += [r for e in events for r in encode([e])] if one_event else encode(events)
    return records


def num_events(records: Sequence[NewRecord]) -> int:
    return sum(int(dict(record.headers)["num_events"]) for record in records)


def fold_rate(records: Sequence[NewRecord], seconds: float = SAMPLE_S) -> float:
    """Events per second of decoding and folding whole records in order, on this core: the best of some passes."""

    def fold() -> None:
        assembly = Assembly(CONFIG, Ledger())
        for offset, record in enumerate(records):
            assembly.read(offset, NOW, read_columns(record.headers, record.value))

    return num_events(records) / best(fold, seconds)


def best(step, seconds: float) -> float:
    """Least CPU time of one call, in seconds, of the calls that fit into `seconds` (two at least)."""
    times: list[float] = []
    while len(times) < 2 or sum(times) < seconds:
        started = time.process_time()
        step()
        times.append(time.process_time() - started)
    return min(times)


def rates(records: Sequence[NewRecord], seconds: float) -> dict[str, float]:
    events = num_events(records)
    columns = [read_columns(record.headers, record.value) for record in records]

    def read_all() -> None:
        for record in records:
            facts(read_columns(record.headers, record.value))

    def full() -> None:
        for record in records:
            decode(record.headers, record.value)

    found = [facts(one) for one in columns]

    def fold() -> None:
        assembly = Assembly(CONFIG, Ledger())
        for offset, one in enumerate(found):
            assembly.take(offset, NOW, one)

    return {
        "decode": events / best(read_all, seconds),
        "fold": events / best(fold, seconds),
        "both": fold_rate(records, seconds),
        "full_decode": events / best(full, seconds),
        "bytes_per_event": sum(len(record.value) for record in records) / events,
    }


def sealed_group(members: int = 12, tokens: int = 10_000) -> GroupDecision:
    """The decision on a full group whose episodes have `tokens` tokens each, a third of them generated."""
    assembly = Assembly(CONFIG, Ledger())
    for offset, record in enumerate(natural_records(1, members, turns=max(1, tokens // 600))):
        assembly.read(offset, NOW, read_columns(record.headers, record.value))
    (decision,) = assembly.decide(None)
    assert isinstance(decision, GroupDecision)
    assert decision.sealed
    return decision


def seal_seconds(seconds: float = SAMPLE_S) -> float:
    """Seconds from the decision on a group of 12 x 10,000 tokens to its encoded record."""
    decision = sealed_group()
    return best(lambda: sealed_records(decision, CONFIG.run_id, WORKER), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="less of everything: groups of four")
    arguments = parser.parse_args()
    seconds, members = (0.2, 4) if arguments.quick else (2.0, 12)
    shapes = {
        "natural": natural_records(1, members),
        "natural, 4 calls": natural_records(1, members, calls=4),
        "natural, long": natural_records(1, members, turns=10, prompt=2000),
        "one event": natural_records(1, members, one_event=True, calls=4),
    }
    figures = {name: rates(records, seconds) for name, records in shapes.items()}
    print(f"{'events/s':<18}{'decode':>10}{'fold':>10}{'both':>10}{'full decode':>13}{'bytes/event':>13}")
    for name, found in figures.items():
        print(
            f"{name:<18}"
            + "".join(
                f"{value:>{width},.0f}" for value, width in zip(found.values(), (10, 10, 10, 13, 13), strict=True)
            )
        )
    seal_ms = 1000 * seal_seconds(seconds)
    print(f"seal 12 x 10,000 tokens: {seal_ms:.1f} ms")
    print(json.dumps({"events_per_s": figures, "seal_ms": seal_ms}))


if __name__ == "__main__":
    main()
