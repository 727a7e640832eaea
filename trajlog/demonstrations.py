"""The stage before version 0: demonstrations, their corpus, a short SFT, an adapter.

Durable steps: 1 demonstrations are played into a log of their own; 2 they are archived; 3 the solved ones are replayed
into a corpus; 4 the adapter is trained on it and renamed into place. Only step 4 counts: interrupted before it, all is
made again; after it, nothing is.
"""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from trajlog.config import RunConfig
from trajlog.errors import ConfigError

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
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    solved, played = _play(config, folder, say)
    say(f"{solved} of {played} demonstrations solved")
    corpus = folder / CORPUS
    _replay(folder, corpus)
    return _train(config, corpus, adapter, say)


def _play(config: RunConfig, folder: Path, say: Callable[[str], None]) -> tuple[int, int]:
    from trajlog.harness.catalog import load_catalog, select
    from trajlog.producers.demonstrations import demonstrable, play
    from trajlog.schemas import Producer, encode
    from trajlog.serving.tokenizers import load_tokenizer
    from trajlog.stream.archiver import run_archiver
    from trajlog.stream.control import start_run
    from trajlog.stream.open import open_log

    settings = config.episode
    catalog = load_catalog(Path(settings.tasks) if settings.tasks else None)
    chosen = select(catalog, split=settings.split, ids=settings.task_ids or None)
    tasks = demonstrable(list(chosen.values()), settings.turn_limit)
    if not tasks:
        raise ConfigError(
            f"no chosen task can be demonstrated in {settings.turn_limit} turns: raise episode.turn_limit, or set "
            f"demonstrations.enabled to false"
        )
    producer, tokenizer = Producer("demonstrations"), load_tokenizer(config.model.name)
    topic, solved = config.topic("rollouts"), 0
    with open_log(f"sqlite:///{folder.resolve() / 'log.db'}", create=True) as log:
        start_run(log, config, producer)
        for task in tasks:
            finished = play(task, config, tokenizer, producer, lambda events: log.append(topic, encode(events)))
            say(f"{task.task_id}: {finished.outcome}, reward {finished.reward}")
            solved += finished.outcome == "solved"
        to_the_end = threading.Event()
        to_the_end.set()
        run_archiver(log, config, folder, to_the_end)
    return solved, len(tasks)


def _replay(folder: Path, corpus: Path) -> None:
    from trajlog.analytics.sft_corpus import replay_sft

    replay_sft(folder, corpus)


def _train(config: RunConfig, corpus: Path, adapter: Path, say: Callable[[str], None]) -> Path:
    from trajlog.learner.examples import load_examples
    from trajlog.learner.policy import PolicyModel
    from trajlog.learner.sft import SftConfig, train_sft
    from trajlog.serving.adapters import AdapterConfig, save_adapter
    from trajlog.serving.models import resolve_model

    learner, settings = config.learner, config.demonstrations
    examples = load_examples(corpus)
    say(f"training on {len(examples)} examples")
    policy = PolicyModel.load(
        resolve_model(config.model.name),
        learner.lora_targets,
        dtype=config.model.dtype,
        temperature=config.sampling.temperature,
    )
    sft = SftConfig(
        lora_rank=learner.lora_rank,
        lora_alpha=learner.lora_alpha,
        epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        examples_per_step=settings.examples_per_step,
        max_tokens_per_microbatch=learner.max_tokens_per_microbatch,
        seed=config.seed,
    )
    result = train_sft(
        policy, examples, sft, lambda step: say(f"SFT step {step.step} of {step.num_steps}, loss {step.loss:.3f}")
    )
    made = AdapterConfig(
        r=learner.lora_rank,
        lora_alpha=learner.lora_alpha,
        target_modules=tuple(sorted(learner.lora_targets)),
        base_model_name_or_path=config.model.name,
    )
    save_adapter(adapter, result.adapter, made)
    say(f"adapter for version 0, SFT loss {result.losses[0]:.3f} to {result.losses[-1]:.3f}: {adapter}")
    return adapter
