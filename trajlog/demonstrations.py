"""The stage before version 0: demonstrations, their corpus, a short SFT, an adapter.

Durable steps: 1 demonstrations are played into a log of their own; 2 they are archived; 3 the solved ones are replayed
into a corpus, which is renamed into place; 4 the adapter is trained on it (learner/sft.py) and renamed into place.
Interrupted before the end of step 3, all is made again; after it, the training goes on; after step 4, nothing is done.
"""

import shutil
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import msgspec

from trajlog.config import EpisodeConfig, LearnerConfig, RunConfig, SamplingConfig
from trajlog.control_arm import offered_tools
from trajlog.errors import ConfigError
from trajlog.harness.task import Task
from trajlog.held_folder import alone
from trajlog.private_folder import make_private
from trajlog.producers.oracle import Variant, variant
from trajlog.schemas import EpisodeFinished, Event
from trajlog.stream.log import Log

ADAPTER = "adapter"
CORPUS = "sft"


def demonstrations_dir(run_dir: Path) -> Path:
    return run_dir / "demonstrations"


def starting_from_demonstrations(config: RunConfig, run_dir: Path) -> RunConfig:
    """The settings with `learner.init_adapter` set to the demonstrated adapter, when the run asks for one."""
    if not config.demonstrations.enabled or config.learner.init_adapter:
        return config
    adapter = demonstrations_dir(run_dir) / ADAPTER
    if not adapter.is_dir():
        raise ConfigError(
            f"the run begins with demonstrations, but there is no {adapter}: run "
            f"`trajlog demonstrations SETTINGS --out {demonstrations_dir(run_dir)}` first"
        )
    learner = msgspec.structs.replace(config.learner, init_adapter=str(adapter))
    return msgspec.structs.replace(config, learner=learner)


def make_adapter(config: RunConfig, folder: Path, say: Callable[[str], None]) -> Path:
    """Play, archive, replay, train; returns the adapter's folder. `say` gets one line per thing done."""
    adapter = folder / ADAPTER
    if adapter.is_dir():
        say(f"the adapter of an earlier start is used: {adapter}")
        return adapter
    corpus = folder / CORPUS
    if not corpus.is_dir():
        if folder.exists():
            shutil.rmtree(folder)
        make_private(folder)
        solved, played = _play(config, folder, say)
        say(f"{solved} of {played} demonstrations solved")
        _replay(folder, corpus)
    return _train(config, corpus, folder, say)


class Planned(msgspec.Struct, frozen=True):
    """One demonstration to play."""

    task: Task
    how: Variant
    attempt: int = 0


def default_config() -> RunConfig:
    """Settings for demonstrations without a file of one's own: every tool, room for long routes."""
    return RunConfig(
        run_id="demonstrations",
        episode=EpisodeConfig(
            tools=("bash", "read_file", "edit_file", "run_tests", "debugger", "done"), context_limit=65_536
        ),
        sampling=SamplingConfig(max_tokens=16_384),
        learner=LearnerConfig(max_tokens_per_microbatch=65_536),
    )


def plan(config: RunConfig, tasks: Iterable[Task], per_task: int) -> list[Planned]:
    """`per_task` demonstrations of each task, each by another variant of the oracle."""
    offered = offered_tools(config.episode)
    return [
        Planned(task, variant(task, attempt, config.seed, offered), attempt)
        for task in tasks
        for attempt in range(per_task)
    ]


def play_all(
    config: RunConfig, folder: Path, plan: Sequence[Planned], say: Callable[[str], None], *, jobs: int = 1
) -> list[EpisodeFinished]:
    """Play what of `plan` is not in the log of `folder` yet, `jobs` at once, and archive it; returns what was played.

    Interrupted anywhere, it goes on where it stopped: a demonstration counts once its last event is in the log. An
    interrupt lets those in play come to their end and begins no other. Raises ConfigError where another process plays.
    """
    from trajlog.harness.sandbox.choice import open_pool
    from trajlog.producers.demonstrations import play
    from trajlog.schemas import Producer, encode
    from trajlog.serving.tokenizers import load_tokenizer
    from trajlog.stream.archiver import run_archiver
    from trajlog.stream.control import start_run
    from trajlog.stream.open import open_log

    producer, tokenizer = Producer("demonstrations"), load_tokenizer(config.model.name)
    topic, lock = config.topic("rollouts"), threading.Lock()
    with alone(folder, "plays into"), open_log(f"sqlite:///{folder.resolve() / 'log.db'}", create=True) as log:
        if log.topics() and topic not in log.topics():
            raise ConfigError(
                f"{folder} holds another run (topics {', '.join(sorted(log.topics()))}): name another folder"
            )
        start_run(log, config, producer)
        done = _finished(log, topic)
        missing = [planned for planned in plan if (planned.task.task_id, planned.attempt) not in done]
        if done:
            say(f"{len(plan) - len(missing)} of {len(plan)} are in the log already")

        def append(events: Sequence[Event]) -> None:
            with lock:
                log.append(topic, encode(events))

        def one(planned: Planned) -> EpisodeFinished:
            return play(
                planned.task,
                config,
                tokenizer,
                producer,
                append,
                how=planned.how,
                attempt=planned.attempt,
                make_sandbox=sandboxes,
            )

        found = []
        with (
            open_pool(config.episode.sandbox, num_warm=jobs, on_status=say) as sandboxes,
            ThreadPoolExecutor(jobs) as pool,
        ):
            try:
                for future in as_completed([pool.submit(one, planned) for planned in missing]):
                    finished = future.result()
                    found.append(finished)
                    counted = f"[{len(found)}/{len(missing)}]"
                    say(f"{counted} {finished.task_id}: {finished.outcome}, reward {finished.reward}")
            except BaseException:  # Ctrl-C too: what has not begun must not be waited for
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        to_the_end = threading.Event()
        to_the_end.set()
        run_archiver(log, config, folder, to_the_end)
    return found


def _finished(log: Log, topic: str) -> set[tuple[str, int]]:
    """(task, attempt) of the demonstrations that came to their end, errors of the infrastructure aside."""
    from trajlog.schemas import EpisodeFinished, EpisodeStarted
    from trajlog.stream.control import ControlFollower

    started: dict[str, tuple[str, int]] = {}
    finished: set[str] = set()
    with ControlFollower(log, topic, {EpisodeStarted.kind, EpisodeFinished.kind}) as follower:
        for _, event in follower.catch_up():
            assert event.episode_id is not None
            if isinstance(event, EpisodeStarted):
                started[event.episode_id] = event.task_id, event.attempt
            elif isinstance(event, EpisodeFinished) and event.outcome != "error":
                finished.add(event.episode_id)
    return {which for episode_id, which in started.items() if episode_id in finished}


def _play(config: RunConfig, folder: Path, say: Callable[[str], None]) -> tuple[int, int]:
    """The demonstrations that version 0's adapter is trained on: terse, one for each task that is played."""
    from trajlog.harness.catalog import load_catalog, select
    from trajlog.producers.demonstrations import TERSE, demonstrable

    settings = config.episode
    catalog = load_catalog(Path(settings.tasks) if settings.tasks else None)
    chosen = select(catalog, split=settings.split, ids=settings.task_ids or None)
    tasks = demonstrable(list(chosen.values()), settings.turn_limit)
    if not tasks:
        raise ConfigError(
            f"no chosen task can be demonstrated in {settings.turn_limit} turns: raise episode.turn_limit, or set "
            f"demonstrations.enabled to false"
        )
    found = play_all(config, folder, [Planned(task, TERSE) for task in tasks], say)
    return sum(finished.outcome == "solved" for finished in found), len(tasks)


def _replay(folder: Path, corpus: Path) -> None:
    from trajlog.analytics.sft_corpus import replay_sft

    replay_sft(folder, corpus)


def _train(config: RunConfig, corpus: Path, folder: Path, say: Callable[[str], None]) -> Path:
    from trajlog.learner.sft import SftConfig, run_sft
    from trajlog.serving.models import resolve_model

    settings = config.demonstrations
    sft = SftConfig(
        epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        examples_per_step=settings.examples_per_step,
        max_tokens_per_microbatch=config.learner.max_tokens_per_microbatch,
        seed=config.seed,
    )
    result = run_sft(
        config,
        sft,
        corpus=corpus,
        out=folder,
        model_path=resolve_model(config.model.name),
        say=say,
        on_progress=lambda step: say(f"SFT step {step.step} of {step.num_steps}, loss {step.loss:.3f}"),
    )
    say(f"adapter for version 0, SFT loss {result.losses[0]:.3f} to {result.losses[-1]:.3f}: {result.adapter}")
    return result.adapter
