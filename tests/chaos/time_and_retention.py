"""What clocks that jump, a downtime and retention do to a run, on whichever log it is."""

from __future__ import annotations

from datetime import timedelta

from tests.chaos.faulty_run import FaultyRun
from tests.learner.groups import simple_group
from tests.stream.roles import InstantWorker
from trajlog.schemas import EpisodeAssigned, EpisodeVerdict, GroupVerdict, TrainStep, encode
from trajlog.stream.archive_accept_loss import accept_loss
from trajlog.stream.log import Log, LogRecord


def records(log: Log, topic: str) -> list[LogRecord]:
    ends = log.end_offsets(topic)
    found: list[LogRecord] = []
    with log.reader([topic], "beginning") as reader:
        while any(reader.position(tp) < end for tp, end in ends.items()):
            found += reader.poll(1.0)
    return found


def timed_out(run: FaultyRun) -> list[str]:
    """Verdicts that only the passing of time gives."""
    groups = [e.reason for e in run.events("control", GroupVerdict.kind) if isinstance(e, GroupVerdict)]
    episodes = [e.verdict for e in run.events("control", EpisodeVerdict.kind) if isinstance(e, EpisodeVerdict)]
    return [why for why in [*groups, *episodes] if why in ("timeout", "too_few", "expired", "abandoned")]


def jump_clocks_and_finish(run: FaultyRun) -> None:
    """The wall clocks of all roles jump by hours both ways; nothing times out, append times rise."""
    run.start("scheduler", "assembler", "archiver", "player")
    run.until_verdicts(1)
    for hours in (5, -7, 0):
        (run.folder / "clock").write_text(str(hours * 3600))
        run.until_verdicts(2)
    run.finish()
    assert timed_out(run) == []
    for name in ("rollouts", "control"):
        found = records(run.log, run.config.topic(name))
        for partition in (0, 1):
            times = [record.append_time for record in found if record.partition == partition]
            assert times == sorted(times)
        assert max(r.append_time for r in found) - min(r.append_time for r in found) < timedelta(minutes=10)
    said = [event.emitted_at for event in run.events("rollouts")]
    assert max(said) - min(said) > timedelta(hours=11)  # the producers' own times did jump


def assign_three(run: FaultyRun, worker: InstantWorker) -> list[EpisodeAssigned]:
    """Scheduler and assembler run, and the worker has the three episodes of a group."""
    run.start("scheduler", "assembler")

    def has_three() -> bool:
        worker.heartbeat()
        worker.take()
        return len(worker.assigned) == 3

    run.until(lambda: run.is_ready("scheduler") and run.is_ready("assembler"))
    run.until(has_three)
    return worker.assigned


def finish_after_downtime(run: FaultyRun, worker: InstantWorker) -> None:
    """The worker has played its group out, and only now the roles come back: it is sealed, full."""
    worker.heartbeat()
    run.start("scheduler", "assembler", "archiver")
    run.until(lambda: run.events("control", GroupVerdict.kind))
    worker.heartbeat(leaving=True)
    run.finish()
    (verdict,) = run.events("control", GroupVerdict.kind)
    assert (verdict.verdict, verdict.reason) == ("sealed", "full")  # type: ignore[attr-defined]
    assert timed_out(run) == []


def drop_what_waits(run: FaultyRun) -> None:
    """Archiver and assembler are down, more than 40 records come, to every partition some, and all of `.rollouts` is
    dropped: started again, both end and say what to do. Then the archiver's loss is accepted."""
    before = run.log.end_offsets(run.config.topic("rollouts"))

    def enough_came() -> bool:
        more = [end - before[tp] for tp, end in run.log.end_offsets(run.config.topic("rollouts")).items()]
        return min(more) > 5 and sum(more) > 50

    run.until(enough_came)
    run.stop("scheduler", "player")
    for tp, end in run.log.end_offsets(run.config.topic("rollouts")).items():
        run.log.truncate(*tp, end)
    run.start("archiver", "assembler")
    for role in ("archiver", "assembler"):
        said = run.ended(role)
        assert said.startswith("OffsetExpired: offset "), said
        assert "was dropped by retention; the first one held is" in said
        assert "trajlog archive repair --accept-loss" in said
    lost = accept_loss(run.log, run.config, run.folder)
    assert sum(len(offsets) for offsets in lost.values()) > 40


def overtake_learner(run: FaultyRun) -> None:
    """Of six groups it has trained two and the next two are dropped: it ends and trains nothing else."""
    groups = [simple_group(f"g{n}", run_id=run.config.run_id) for n in range(6)]
    run.log.append(run.config.topic("groups"), encode(groups[:2]))
    run.start("learner")
    run.until(lambda: run.events("control", TrainStep.kind))
    run.stop("learner")
    run.log.append(run.config.topic("groups"), encode(groups[2:]))
    ((tp, _),) = run.log.end_offsets(run.config.topic("groups")).items()
    run.log.truncate(*tp, 4)
    run.start("learner")
    said = run.ended("learner")
    assert said.startswith("OffsetExpired: offset 2 of ")
    assert "a learner cannot: start a new run, with this one's newest adapter as learner.init_adapter" in said
    assert len(run.events("control", TrainStep.kind)) == 1
