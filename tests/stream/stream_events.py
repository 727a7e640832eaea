"""Events of whole episodes, as a worker would emit them, for tests of the folds."""

from array import array
from datetime import UTC, datetime, timedelta
from itertools import count

from trajlog.schemas import (
    EpisodeFinished,
    EpisodeStarted,
    Event,
    EventBatch,
    Generation,
    Observation,
    Producer,
    ToolCall,
    VersionRun,
    decode,
    encode,
    token_digest,
)

RUN = "r"
WORKER = Producer("w1", "0")
START = datetime(2026, 1, 1, tzinfo=UTC)
_tokens = count(1)


def at(seconds: float) -> datetime:
    """Append time, counted from START."""
    return START + timedelta(seconds=seconds)


def batches(events: list[Event]) -> list[EventBatch]:
    return [decode(record.headers, record.value) for record in encode(events)]


def generation(group, episode, seq, turn, prefix, prompt, tokens, *, chain=0, version=0, logprobs=None):
    return Generation(
        **WORKER.stamp(RUN, group_id=group, episode_id=episode, seq=seq),
        turn=turn,
        chain=chain,
        prefix_len=len(prefix),
        prefix_sha256=token_digest(prefix),
        prompt_token_ids=tuple(prompt),
        token_ids=tuple(tokens),
        logprobs=tuple(logprobs or [-0.5] * len(tokens)),
        policy_versions=(VersionRun(version, len(tokens)),),
        text="some text",
        finish_reason="stop",
        latency_s=0.1,
    )


def finished(group, episode, seq, *, task="t", outcome="solved", reward=1.0, turns=1, fits=None):
    return EpisodeFinished(
        **WORKER.stamp(RUN, group_id=group, episode_id=episode, seq=seq),
        task_id=task,
        outcome=outcome,
        guard="loop" if outcome == "guard" else None,
        error="the sandbox died" if outcome == "error" else None,
        reward=None if outcome == "error" else reward,
        reward_components={},
        num_turns=turns,
        num_generated_tokens=2 * turns,
        debugger_fits=fits,
    )


def started(group, episode, *, task="t", version=0, size=None):
    return EpisodeStarted(
        **WORKER.stamp(RUN, group_id=group, episode_id=episode, seq=0),
        task_id=task,
        attempt=0,
        policy_version=version,
        model="m",
        sampling={},
        tools="[]",
        messages="[]",
        context_limit=4096,
        turn_limit=8,
        group_size=size,
    )


def episode(group, name, *, reward=1.0, outcome="solved", versions=(0,), task="t", size=None, fits=None) -> list[Event]:
    """One turn per entry of `versions`, each of 3 prompt tokens, 2 generated ones, a call and its answer; of a group of
    `size`, the debugger used as asked or not (`fits`)."""
    events: list[Event] = [started(group, name, task=task, version=versions[0] if versions else 0, size=size)]
    chain = array("i")
    for turn, version in enumerate(versions):
        prompt, tokens = [next(_tokens) for _ in range(3)], [next(_tokens) for _ in range(2)]
        events.append(generation(group, name, len(events), turn, chain, prompt, tokens, version=version))
        chain.extend([*prompt, *tokens])
        stamp = WORKER.stamp(RUN, group_id=group, episode_id=name, seq=len(events))
        events.append(ToolCall(**stamp, turn=turn, call_id=f"c{turn}", name="bash", arguments="{}"))
        stamp = WORKER.stamp(RUN, group_id=group, episode_id=name, seq=len(events))
        events.append(Observation(**stamp, turn=turn, call_id=f"c{turn}", content="x" * 100, duration_s=0.1))
    ended = {"task": task, "outcome": outcome, "reward": reward, "turns": len(versions), "fits": fits}
    events.append(finished(group, name, len(events), **ended))
    return events
