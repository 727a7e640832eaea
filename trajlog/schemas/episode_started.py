"""episode_started: a worker begins an assigned episode. First event of an episode (seq 0)."""

from typing import ClassVar, Literal

from trajlog.schemas.base import Count, Event, Index, Json, Name, Topic

DebuggerArm = Literal["offered", "withheld"]
"""Arm of the comparison of runs with and without a debugger."""


class EpisodeStarted(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "episode_started"
    version: ClassVar[int] = 3
    topic: ClassVar[Topic] = "rollouts"

    task_id: Name
    attempt: Index
    """Number of the assignment within its group, 0.. ."""
    task_category: Name | None = None
    task_difficulty: Index | None = None
    task_debugger: Literal["recommended", "optional", "avoid"] | None = None
    policy_version: Count
    """Version the worker routes to at the start; each generation carries its own."""
    model: Name
    """Base model's name (OpenTelemetry gen_ai.request.model)."""
    sampling: dict[str, float]
    """temperature, top_p, max_tokens and what else the engine was asked for."""
    tools: Json
    """OpenAI `tools` array."""
    messages: Json
    """OpenAI chat `messages` the episode opens with."""
    context_limit: Count
    turn_limit: Count
    debugger_arm: DebuggerArm | None = None
    """Whether `tools` has the debugger's; from version 2 on."""
    tool_format: Name | None = None
    """How calls are written in the sampled text (a file of producers/tool_calls/); from version 2 on."""
    group_size: Index | None = None
    """Members that its group is filled with; from version 3 on. None: group.group_size of the settings."""
