"""Batches that were not trained because their loss or gradient was not finite: kept by name, to be looked into.

    RUN_DIR/non_finite/step-000007-1f3a90c2.json    the train_step that it would have been, as JSON

Its `groups_rejected` are those of `groups_trained` that were not finite; the others are trained in a later try. Its
`offsets` are where a reader of `.groups` finds the batch, its `metrics` those that were finite, its
`tensor_digests` those of the very arrays, which `trajlog replay batch --skipped FILE` rebuilds. Written under a
temporary name and renamed before the groups' rejection is logged: killed in between, the batch is skipped again, and
written again under the same name.
"""

from pathlib import Path

import msgspec

from trajlog.errors import ConfigError
from trajlog.private_folder import make_private
from trajlog.schemas import TrainStep

FOLDER = "non_finite"


def write_skipped(directory: Path, step: TrainStep) -> Path:
    """The file of a skipped batch in the run directory. Raises OSError."""
    folder = directory / FOLDER
    make_private(folder)
    path = folder / f"step-{step.step:06d}-{step.batch_sha256[:8]}.json"
    fresh = path.with_suffix(".tmp")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(step), indent=2) + b"\n")
    fresh.replace(path)
    return path


def read_skipped(path: Path) -> TrainStep:
    """What was skipped. Raises ConfigError when the file is not one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=TrainStep)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(
            f"{path} is not a skipped batch: {error}. They lie in the run directory's {FOLDER}/."
        ) from None
