"""The two arms of a comparison, with and without the debugger, from the same settings."""

import msgspec

from trajlog.config import EpisodeConfig, RunConfig
from trajlog.errors import ConfigError
from trajlog.harness.tools.debug import DEBUGGER_TOOLS
from trajlog.schemas.episode_started import DebuggerArm

ALL_OF_THE_DEBUGGER = "debugger"
"""Stands in episode.tools for every tool of the debugger."""
_NAMES = tuple(tool.name for tool in DEBUGGER_TOOLS)


def offered_tools(settings: EpisodeConfig) -> tuple[str, ...]:
    """Names of the tools that an episode offers, in order, each once.

    >>> offered_tools(EpisodeConfig(tools=("bash", "debugger", "done"), debugger="withheld"))
    ('bash', 'done')
    """
    names = [name for listed in settings.tools for name in (_NAMES if listed == ALL_OF_THE_DEBUGGER else (listed,))]
    withheld = _NAMES if settings.debugger == "withheld" else ()
    return tuple(dict.fromkeys(name for name in names if name not in withheld))


def debugger_arm(settings: EpisodeConfig) -> DebuggerArm:
    """`offered` when at least one of the debugger's tools is."""
    return "offered" if set(_NAMES) & set(offered_tools(settings)) else "withheld"


def without_debugger(config: RunConfig) -> RunConfig:
    """The control arm of the same settings: no debugger, and a run and topics of its own (`<name>-no-debugger`).

    Raises ConfigError when the settings offer no debugger, so that both arms would be the same.
    """
    if debugger_arm(config.episode) == "withheld":
        raise ConfigError(
            f"run {config.run_id} offers no debugger that could be withheld: add 'debugger' to episode.tools, or leave "
            f"--no-debugger out"
        )
    return msgspec.structs.replace(
        config,
        run_id=f"{config.run_id}-no-debugger",
        log=msgspec.structs.replace(config.log, prefix=f"{config.log.prefix}-no-debugger"),
        episode=msgspec.structs.replace(config.episode, debugger="withheld"),
    )
