"""The scheduler keeps counts instead of looking at every slot: random histories, against a look at everything."""

import random
from datetime import timedelta

import msgspec
import pytest

from tests.stream.scheduling_fold import CONFIG, Fold, closed, judged
from tests.stream.stream_events import at
from trajlog.config import SchedulerConfig
from trajlog.stream.scheduling import Abandon, Scheduling

LEASE = timedelta(seconds=60)


def free_slots(fold: Scheduling, now) -> dict[str, int]:
    free = {}
    for name, worker in fold._leases._workers.items():
        taken = {e.episode_id for e in fold._leases._episodes.values() if e.worker == name and not e.finished}
        heard = name not in fold._leases._silenced or worker.seen > fold._leases._silenced[name]
        if heard and not worker.leaving and now < worker.seen + LEASE:
            free[name] = worker.num_slots - len(worker.running | taken)
    return {name: number for name, number in free.items() if number > 0}


def silent(fold: Scheduling, now) -> list[str]:
    def lost(episode) -> bool:
        worker = fold._leases._workers.get(episode.worker)
        late = now >= max(episode.mentioned, fold._leases._began) + LEASE
        if episode.finished:
            return late and episode.group_id in fold._closed
        return late or (worker is not None and worker.leaving)

    return [episode.episode_id for episode in fold._leases._episodes.values() if lost(episode)]


@pytest.mark.parametrize("seed", range(12))
def test_the_counts_are_those_of_a_look_at_every_episode_group_and_worker(seed):
    chance = random.Random(seed)
    scheduler = SchedulerConfig(lease_s=60, high_water_groups=50, low_water_groups=1, max_open_groups=20)
    fold = Fold(msgspec.structs.replace(CONFIG, scheduler=scheduler), tasks=("t", "u"))
    core, seconds, num_abandoned = fold.fold, 0.0, 0
    running: dict[str, list[str]] = {f"w{i}/0": [] for i in range(5)}
    finished: dict[str, list[tuple[str, str]]] = {name: [] for name in running}
    groups: dict[str, str] = {}
    for _ in range(250):
        seconds += chance.choice((0.0, 1.0, 5.0, 25.0))
        worker = chance.choice(list(running))
        match chance.choice(("beat", "beat", "beat", "finish", "finish", "judge", "close", "leave", "scheduler")):
            case "beat":
                skew = chance.choice((0.0, 0.0, -10.0))  # the topics' clocks may be of two brokers
                shown = {"running": running[worker], "finished": finished[worker]}
                fold.heartbeat(worker, 4, seconds=seconds + skew, **shown)
            case "finish" if running[worker]:
                name = running[worker].pop(chance.randrange(len(running[worker])))
                finished[worker].append((name, chance.choice(("solved", "failed", "error"))))
            case "judge" if groups:
                name = chance.choice(list(groups))
                verdict = chance.choice(("sealed", "error", "overlong", "abandoned"))
                fold.control(judged(groups[name], name, verdict, "solved"), seconds=seconds)
            case "close" if groups and chance.random() < 0.3:
                fold.control(closed(chance.choice(list(groups.values()))), seconds=seconds)
            case "leave" if chance.random() < 0.3:
                fold.heartbeat(worker, 4, seconds=seconds, leaving=True)
                name, incarnation = worker.split("/")
                finished[worker], running[f"{name}/{int(incarnation) + 1}"] = [], []
                del running[worker]
                finished[f"{name}/{int(incarnation) + 1}"] = []
            case _:
                for decision in fold.decide(seconds):
                    if isinstance(decision, Abandon):
                        num_abandoned += 1
                    else:
                        groups[decision.episode_id] = decision.group_id
                        running.get(decision.worker, []).append(decision.episode_id)
        now = at(seconds)
        assert core._leases.free_slots(now) == free_slots(core, now)
        assert [episode.episode_id for episode in core._leases.silent(now, core._closed)] == silent(core, now)
        assert core._lacking == {g.group_id: n for g in core._groups.values() if (n := core._lack(g)) > 0}
    assert len(groups) > 40
    assert num_abandoned > 0
