"""What the scheduler's rules are worth: simulated runs of the real scheduling core, no model, no clock, seeded.

    python benchmarks/scheduler_sim.py                 # 2 seeds of 2,500 episodes an arm; two arms 3 of 12,000
    python benchmarks/scheduler_sim.py --quick         # 1 seed of 800; two arms 1 of 1,600

Real: stream/scheduling.py with its curriculum, leases and water marks, fed the events it would read, and
stream/staleness.py at sealing and at training. Simulated: time, the workers, the closing of groups and the learner.

What is simulated, and by which numbers: simulated/rollouts.py.

Peers: `round robin` gives each free slot the next task in turn, into that task's open group; since 130 groups are
then open at once, it is also run without a seal timeout. `groups in turn` fills groups as we do and takes the tasks in
turn, without a curriculum.
"""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import fmean

from simulated.rollouts import Run, World

from trajlog.config import GroupConfig, LearnerConfig, RunConfig, SchedulerConfig, StalenessConfig
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.scheduling import Abandon, Assign, Scheduling


class RoundRobin(Scheduling):
    """Peer: every free slot gets the next task in turn, in that task's open group."""

    def __init__(self, config: RunConfig, tasks: Sequence[CurriculumTask]) -> None:
        super().__init__(config, tasks)
        self._order = [task.task_id for task in tasks]
        self._next = 0

    def decide(self, now: datetime, mint: Callable[[], str]) -> list[Assign | Abandon]:
        silent = self._silent(now)
        slots = self._leases.free_slots(now)
        if silent or self.paused or not slots:
            return list(silent)
        task_id = self._order[self._next % len(self._order)]
        self._next += 1
        lacking = [g for g in self._groups.values() if g.task_id == task_id and self._lack(g) > 0]
        group_id, attempt = (lacking[0].group_id, lacking[0].num_assigned) if lacking else (mint(), 0)
        worker = max(sorted(slots), key=lambda name: slots[name])
        said = (self._largest, self.curriculum.phase, self.curriculum.success(task_id))
        return [Assign(group_id, mint(), worker, task_id, attempt, *said)]


class InTurn:
    """The curriculum of `groups in turn`: none."""

    def __init__(self, tasks: Sequence[CurriculumTask]) -> None:
        self._order = [task.task_id for task in tasks]
        self._num_opened = 0
        self.phase = 1

    def next_task(self) -> str:
        return self._order[self._num_opened % len(self._order)]

    def success(self, task_id: str) -> float:
        return 0.5

    def opened(self, task_id: str) -> None:
        self._num_opened += 1

    def finished(self, task_id: str, solved: bool, debugger_fits: bool | None) -> None:
        pass


def settings(
    strategy: str = "drop", max_off_policy_steps: int = 4, hardware: str = "any", seal_timeout_s: float = 600.0
) -> RunConfig:
    return RunConfig(
        run_id="sim",
        group=GroupConfig(seal_timeout_s=seal_timeout_s, hardware=hardware),
        staleness=StalenessConfig(max_off_policy_steps=max_off_policy_steps, off_policy_strategy=strategy),
        learner=LearnerConfig(groups_per_step=4),
        scheduler=SchedulerConfig(lease_s=60),
    )


def simulate(seed: int, num_episodes: int, arm: str, config: RunConfig, kill_at_s: float = math.inf) -> Run:
    world = World(seed)
    core = (RoundRobin if arm == "round robin" else Scheduling)(config, world.tasks)
    if arm == "groups in turn":
        core.curriculum = InTurn(world.tasks)
    return Run(world, core, config).play(num_episodes, kill_at_s)


def averaged(runs: Sequence[Run]) -> dict[str, float | None]:
    """Means over the runs; None where one of them has no such figure."""
    found = [run.summary() for run in runs]
    means = {name: fmean(one[name] for one in found) for name in found[0]}
    return {name: None if math.isnan(mean) else mean for name, mean in means.items()}


def show(title: str, arms: dict[str, dict[str, float | None]], rows: Sequence[tuple[str, str, str]]) -> None:
    print(f"{title:<44}" + "".join(f"{arm:>18}" for arm in arms))
    for label, name, form in rows:
        cells = ["never" if figures[name] is None else format(figures[name], form) for figures in arms.values()]
        print(f"{label:<44}" + "".join(f"{cell:>18}" for cell in cells))
    print()


def killed(seed: int) -> dict[str, float]:
    """A worker killed in the middle of 16 episodes: what it costs."""
    run = simulate(seed, 700, "trajlog", settings(), kill_at_s=300.0)
    lost = [run.episodes[name] for name in run.killed]
    groups = [run.groups[name] for name in {episode.said.group_id for episode in lost}]
    return {
        "episodes_lost": len(lost),
        "abandoned": sum(episode.end == "abandoned" for episode in lost),
        "abandoned_after_s": run.abandoned_s - 300.0,
        "groups_touched": len(groups),
        "groups_filled": sum(len(group.finished) == group.size for group in groups),
        "groups_partial": sum(group.reason == "timeout" for group in groups),
        "generation_s_lost": sum(300.0 - episode.begun_s for episode in lost),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one seed of 800 episodes an arm")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    arguments = parser.parse_args()
    short, long = ((1, 800), (1, 1_600)) if arguments.quick else ((2, 2_500), (3, 12_000))

    def arm(name: str, config: RunConfig, size: tuple[int, int] = short) -> dict[str, float | None]:
        num_seeds, num_episodes = size
        seeds = range(arguments.seed, arguments.seed + num_seeds)
        return averaged([simulate(seed, num_episodes, name, config) for seed in seeds])

    peers = {
        "trajlog": arm("trajlog", settings()),
        "sizes 8 to 12": arm("trajlog", settings(hardware="gpu")),
        "groups in turn": arm("groups in turn", settings()),
        "round robin": arm("round robin", settings()),
        "... no timeout": arm("round robin", settings(seal_timeout_s=1e9)),
    }
    show(
        f"{short[0]} x {short[1]} episodes, drop",
        peers,
        [
            ("first sealed group, s", "first_sealed_s", ",.0f"),
            ("sealed groups per 1,000 episodes", "sealed_per_1000", ".1f"),
            ("trained groups per 1,000 episodes", "trained_per_1000", ".1f"),
            ("trained groups per hour", "trained_per_hour", ".1f"),
            ("rollouts on tasks of 30-70%, true rate", "share_30_70", ".1%"),
            ("rollouts on tasks of 30-70%, estimated", "share_30_70_estimated", ".1%"),
            ("rollouts on tasks met for the first time", "share_unseen", ".1%"),
            ("slots busy", "slots_busy", ".1%"),
            ("phase 2 after episodes", "phase_2_at", ",.0f"),
            ("decide, ms of CPU per episode", "decide_ms_per_episode", ".2f"),
        ],
    )
    longer = {name: arm(name, settings(), long) for name in ("trajlog", "groups in turn")}
    show(
        f"{long[0]} x {long[1]} episodes, drop",
        longer,
        [
            ("sealed groups per 1,000 episodes", "sealed_per_1000", ".1f"),
            ("rollouts on tasks of 30-70%, true rate", "share_30_70", ".1%"),
            ("rollouts on tasks of 30-70%, estimated", "share_30_70_estimated", ".1%"),
            ("rollouts on tasks met for the first time", "share_unseen", ".1%"),
            ("slow tasks starved", "slow_starved", ".1f"),
        ],
    )
    limits = {f"{s}, {n} steps": arm("trajlog", settings(s, n)) for n in (1, 2, 4) for s in ("drop", "wait")}
    limits["drop, 4, 400 s"] = arm("trajlog", settings(seal_timeout_s=400.0))
    limits["drop, 6 steps"] = arm("trajlog", settings(max_off_policy_steps=6))
    show(
        "max_off_policy_steps; seal timeout 600 s",
        limits,
        [
            ("episodes lost to time, slow tasks", "slow_lost", ".2%"),
            ("episodes lost to time, other tasks", "others_lost", ".2%"),
            ("turns masked of trained, slow tasks", "slow_masked", ".2%"),
            ("turns masked of trained, other tasks", "others_masked", ".2%"),
            ("slow tasks played", "slow_played", ".1f"),
            ("slow tasks starved", "slow_starved", ".1f"),
            ("length: trained / (trained + lost)", "length_bias", ".3f"),
            ("... weighted by turns not masked", "length_bias_turns", ".3f"),
            ("trained groups per hour", "trained_per_hour", ".1f"),
            ("slots busy", "slots_busy", ".1%"),
        ],
    )
    kill = killed(arguments.seed)
    print("a worker killed:", ", ".join(f"{name} {value:,.0f}" for name, value in kill.items()))
    print(json.dumps({"short": short, "long": long, "peers": peers, "longer": longer, "limits": limits, "kill": kill}))


if __name__ == "__main__":
    main()
