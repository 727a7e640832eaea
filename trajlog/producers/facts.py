"""What a reward depends on, folded from the events of one episode: pure, the same live and from the archive.

`events` are those of one episode in order of seq, each once; generations among them are passed over. The live reward
is computed from the very events that are appended, so computing it again from the log gives it again.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from trajlog.harness.episode import DEBUGGER_NAMES
from trajlog.harness.guards import CallRecord, lines_read, signature
from trajlog.harness.rewards import EpisodeFacts, RewardConfig, debugger_use_fits, has_inspected_before_edit, reward
from trajlog.harness.tools.files import MAX_LINES
from trajlog.schemas import EpisodeFinished, EpisodeStarted, Event, Observation, ToolCall


class FactsMissing(ValueError):
    """The events do not say what the reward depends on; the message says why."""


def call_records(events: Iterable[Event]) -> list[CallRecord]:
    """The calls that were answered, refused ones included, as ToolSession.calls has them; not those that were left
    out because an earlier call of their turn failed."""
    called: dict[str, ToolCall] = {}
    records = []
    for event in events:
        if isinstance(event, ToolCall):
            called[event.call_id] = event
        elif isinstance(event, Observation) and event.changed_code is not None:
            records.append(_record(called.get(event.call_id or ""), event))
    return records


def tool_usage(events: Iterable[Event]) -> dict[str, int]:
    """How often each tool was run; calls that did not fit their tool are left out."""
    return dict(Counter(call.name for call in call_records(events) if not call.format_error))


def episode_facts(events: Sequence[Event]) -> EpisodeFacts:
    """The facts of a finished episode. Raises FactsMissing for one that is not whole, that was recorded before its
    events held them, and for one without a verdict (outcome error)."""
    started = next((event for event in events if isinstance(event, EpisodeStarted)), None)
    finished = next((event for event in events if isinstance(event, EpisodeFinished)), None)
    if started is None or finished is None:
        raise FactsMissing("unfinished")
    if finished.outcome == "error":
        raise FactsMissing("error")
    passed, failed, before = finished.tests_passed, finished.tests_failed, finished.tests_passed_before
    if finished.ending is None or passed is None or failed is None or before is None:
        raise FactsMissing("old_schema")
    calls = call_records(events)
    return EpisodeFacts(
        ending=finished.ending,
        solved=finished.outcome == "solved",
        tests_total=passed + failed,
        tests_passed=passed,
        tests_passed_before=before,
        num_turns=finished.num_turns,
        turn_limit=started.turn_limit,
        changed_code=bool(finished.changed_code),
        inspected_before_edit=has_inspected_before_edit(calls),
        localized=bool(finished.localized),
        debugger_fits=started.debugger_arm == "offered"
        and debugger_use_fits(started.task_debugger or "optional", calls),
    )


def episode_reward(events: Sequence[Event], weights: RewardConfig) -> tuple[float, dict[str, float]]:
    """The reward of a finished episode and its components. Raises FactsMissing."""
    return reward(episode_facts(events), weights)


def _record(call: ToolCall | None, answer: Observation) -> CallRecord:
    name, arguments = "", dict[str, Any]()
    if call is not None and call.parse_error is None:
        name, arguments = call.name or "", _object(call.arguments)
    refused = bool(answer.format_error)
    return CallRecord(
        name=name,
        signature=signature(name, arguments, answer.content),
        format_error=refused,
        is_error=answer.is_error,
        lines=None if refused else lines_read(name, arguments, MAX_LINES),
        changed=bool(answer.changed_code),
        stopped=name in DEBUGGER_NAMES and answer.debugger_state == "stopped",
    )


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    assert isinstance(value, dict), text  # a call without parse_error has an object
    return value
