"""Episodes as lists of real events, made up: of given facts, or random ones for property tests."""

import json

from hypothesis import strategies as st

from trajlog.harness.tools import TOOLS
from trajlog.schemas import EpisodeFinished, EpisodeStarted, Observation, Producer, ToolCall

PRODUCER = Producer("made-up", "0")
ENDINGS = ("done", "turn_cap", "context_full", "guard")
OUTCOMES = {"done": "failed"}


def made(
    calls=(),
    *,
    ending="done",
    solved=False,
    total=4,
    passed=1,
    before=1,
    limit=10,
    changed=False,
    localized=False,
    label="optional",
    arm="offered",
):
    """Events of an episode with one call a turn. `calls`: fields of the observations, and the call's name."""
    seq = iter(range(10_000))

    def stamp():
        return PRODUCER.stamp("r", group_id="g", episode_id="e", seq=next(seq))

    started = EpisodeStarted(
        **stamp(),
        task_id="t",
        attempt=0,
        task_debugger=label,
        policy_version=0,
        model="byte",
        sampling={},
        tools="[]",
        messages="[]",
        context_limit=1000,
        turn_limit=limit,
        debugger_arm=arm,
        tool_format="hermes",
    )
    events = [started]
    for turn, fields in enumerate(calls):
        given = dict(fields)
        name, arguments = given.pop("name"), given.pop("arguments", {})
        events.append(
            ToolCall(**stamp(), turn=turn, call_id=f"call_{turn}", name=name, arguments=json.dumps(arguments))
        )
        answer = {"content": "", "format_error": False, "changed_code": False, "debugger_state": "exited"} | given
        events.append(Observation(**stamp(), turn=turn, call_id=f"call_{turn}", name=name, duration_s=0.0, **answer))
    outcome = "solved" if solved else OUTCOMES.get(ending, ending)
    events.append(
        EpisodeFinished(
            **stamp(),
            task_id="t",
            outcome=outcome,
            guard="stall" if outcome == "guard" else None,
            reward=0.0,
            reward_components={},
            num_turns=limit if ending == "turn_cap" else min(len(calls), limit),
            num_generated_tokens=0,
            tests_passed=total if solved else passed,
            tests_failed=0 if solved else total - passed,
            ending=ending,
            tests_passed_before=before,
            changed_code=changed,
            localized=changed and localized,
            flags=(),
            tool_usage={},
            debugger_arm=arm,
        )
    )
    return events


answers = st.fixed_dictionaries(
    {
        "name": st.sampled_from([*TOOLS, "no_such_tool"]),
        "content": st.sampled_from(["", "1 failed", "x = 1"]),
        "is_error": st.booleans(),
        "format_error": st.booleans(),
        "changed_code": st.sampled_from([False, True, None]),
        "debugger_state": st.sampled_from(["exited", "stopped", "running"]),
    }
)


@st.composite
def episodes(draw, also=(), **fixed):
    """Any episode; `fixed` are arguments of `made`, `also` calls that come last. One that is not solved passes at most
    all tests but one."""
    total = draw(st.integers(1, 12))
    limit = draw(st.integers(1, 40))
    fields = {
        "ending": draw(st.sampled_from(ENDINGS)),
        "solved": draw(st.booleans()),
        "total": total,
        "passed": draw(st.integers(0, total - 1)),
        "before": draw(st.integers(0, total - 1)),
        "limit": limit,
        "changed": draw(st.booleans()),
        "localized": draw(st.booleans()),
        "label": draw(st.sampled_from(["recommended", "optional", "avoid"])),
        "arm": draw(st.sampled_from(["offered", "withheld"])),
    } | fixed
    calls = draw(st.lists(answers, max_size=min(limit, 12)))
    return made([*calls, *also], **fields)
