"""`trajlog sft`: supervised fine-tuning on a corpus."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from trajlog.config import RunConfig, load_config
from trajlog.errors import ConfigError

if TYPE_CHECKING:
    from trajlog.learner.sft import SftStep

PROGRESS_S = 2.0
"""Least time between two lines of progress; measurements are always told."""

app = typer.Typer(help="Fine-tune adapters on corpora of solved episodes.", no_args_is_help=True)
out = Console(highlight=False)


@app.command("train")
def sft_train(
    corpus: Annotated[Path, typer.Option(help="Folder with *.jsonl, as `trajlog replay sft --out CORPUS` makes it.")],
    out_dir: Annotated[Path, typer.Option("--out", help="Folder for the adapter; goes on where it stopped.")],
    settings: Annotated[
        Path | None,
        typer.Option(
            help="Settings (TOML) of the run that the adapter is for: model, sampling.temperature, and of [learner] "
            "lora_rank, lora_alpha, lora_targets, max_tokens_per_microbatch, attention, recompute, share_prefix, "
            "deterministic. Default: the settings' own defaults."
        ),
    ] = None,
    epochs: Annotated[int, typer.Option(help="Passes over the examples, at most.", min=1)] = 3,
    learning_rate: Annotated[float, typer.Option(help="AdamW's, constant.", min=1e-12)] = 2e-4,
    examples_per_step: Annotated[int, typer.Option(help="Examples of one optimizer step.", min=1)] = 8,
    held_out: Annotated[
        float, typer.Option(help="Share of the tasks that is measured, not trained; 0 = none.", min=0.0, max=0.99)
    ] = 0.1,
    steps_per_checkpoint: Annotated[
        int, typer.Option(help="Steps between two checkpoints and measurements; also at each pass's end.", min=1)
    ] = 50,
    patience: Annotated[
        int, typer.Option(help="Stop after so many measurements without a better one; 0 = never.", min=0)
    ] = 3,
    seed: Annotated[int, typer.Option(help="Of the adapter's start, the order, what is held out.", min=0)] = 0,
) -> None:
    """Train an adapter on a corpus: on the tokens that the policy itself generated, and on no others.

    The corpus stores token ids and which of them are the assistant's; nothing is tokenised again. A share of the tasks
    is held out whole, so the held-out loss tells of tasks that were not trained; training stops when it no longer
    falls, and the adapter with the least held-out loss is the result. Killed at any instant and started again with the
    same words, it goes on, and takes the steps that it would have taken.

    OUT then holds adapter/ (PEFT), metrics.jsonl, tensorboard/ and checkpoints/.

    Example: trajlog replay sft --run-dir runs/demo --out runs/demo/sft

    Then: trajlog sft train --corpus runs/demo/sft --out runs/demo/tuned --settings demo.toml

    Then: set init_adapter of [learner] to runs/demo/tuned/adapter in the settings of the next run.
    """
    try:
        from trajlog.learner.sft import SftConfig, run_sft
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error}: fine-tuning is the learner's, pip install 'trajlog[learner]'") from None
    from trajlog.serving.models import resolve_model

    run = load_config(settings) if settings is not None else RunConfig(run_id="sft")
    config = SftConfig(
        epochs=epochs,
        learning_rate=learning_rate,
        examples_per_step=examples_per_step,
        max_tokens_per_microbatch=run.learner.max_tokens_per_microbatch,
        held_out_share=held_out,
        steps_per_checkpoint=steps_per_checkpoint,
        patience=patience,
        seed=seed,
    )
    result = run_sft(
        run,
        config,
        corpus=corpus,
        out=out_dir,
        model_path=resolve_model(run.model.name),
        say=_say,
        on_progress=_Progress(),
    )
    if result.num_too_long:
        limit = config.max_tokens_per_microbatch
        _say(f"left out: {result.num_too_long} examples of more than {limit} tokens (max_tokens_per_microbatch)")
    if result.stopped_early:
        _say(f"stopped after step {len(result.losses)}: no better held-out loss since step {result.best_step}")
    if result.held_out:
        before, best = result.held_out[0][1], dict(result.held_out)[result.best_step]
        _say(f"held-out loss {before:.4f} before, {best:.4f} at step {result.best_step}, whose adapter it is")
        if best >= before:
            _say("the adapter is no better than none on what was held out: try a lower learning rate or more examples")
    _say(f"adapter: {result.adapter}")
    _say(f"sha256 {result.sha256}")
    _say(f'Next: init_adapter = "{result.adapter}" under [learner] of a run\'s settings. Curves: {out_dir}/tensorboard')


class _Progress:
    """A line every PROGRESS_S, and one for each measurement and the last step."""

    def __init__(self) -> None:
        self._began_s = time.monotonic()
        self._said_s = self._began_s
        self._taken = 0

    def __call__(self, step: "SftStep") -> None:
        now_s = time.monotonic()
        self._taken += 1
        if step.held_out_loss is None and step.step < step.num_steps and now_s - self._said_s < PROGRESS_S:
            return
        self._said_s = now_s
        left_s = (now_s - self._began_s) / self._taken * (step.num_steps - step.step)
        measured = "" if step.held_out_loss is None else f", held-out {step.held_out_loss:.4f}"
        _say(f"step {step.step} of {step.num_steps}, loss {step.loss:.4f}{measured}, {left_s:.0f} s to go at most")


def _say(message: str) -> None:
    out.print(message, markup=False, soft_wrap=True)
