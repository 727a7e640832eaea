"""Checkpoints: adapter, optimizer, random state and a state of few words in one directory, all or nothing.

    checkpoints/epoch-0001-step-000007/
        adapter/                 PEFT directory (serving/adapters.py); policy_published points at it
        optimizer.safetensors    AdamW's moments by adapter key, torch's random state
        state.json               everything else: CheckpointState of the learner, SftState of a fine-tuning (sft.py)

The base never changes and is not among it: a checkpoint is as large as the adapter three times, in float32, which is
what exact resume needs. The adapter is in the layout that engines load (a mixture's per expert) and is read back from
it; the moments are as the optimizer has them (a mixture's packed). Both files are written at the same time, from memory
as it is; what is on a device is copied once.

Durable steps of `save`: 1 write under a temporary name, 2 fsync every file and directory, 3 rename, 4 fsync the
parent. A process killed before 3 leaves a `.tmp` directory that a later save removes. No pickle anywhere.
"""

import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from trajlog.errors import LogFull, ModelError, RoleBusy
from trajlog.private_folder import make_private
from trajlog.serving.adapters import AdapterConfig, adapter_sha256, load_adapter, save_adapter
from trajlog.tensor_file import write_tensors

_NAME = re.compile(r"epoch-(\d+)-step-(\d+)")
_TEMPORARY = ".tmp"
_CLEARED = ".cleared"
FORMAT = 1


class SavedState(msgspec.Struct, frozen=True, kw_only=True):
    """What every state.json holds. `epoch` and `step` name the checkpoint and order it, in this order."""

    format: int = FORMAT
    epoch: int
    """Learner's epoch that wrote it; of a fine-tuning, the pass over its examples."""
    step: int
    """Optimizer steps done."""
    adapter_sha256: str = ""
    """Filled in by `save`."""


class CheckpointState(SavedState, frozen=True, kw_only=True):
    """state.json of the learner."""

    run_id: str
    log_identity: str
    """Of the log that `offsets` belong to."""
    policy_version: int
    """Version under which this adapter is published; a restored learner may publish it under a higher one."""
    kl_coef: float
    """For the next step."""
    offsets: dict[str, int]
    """Next offset to read per `<topic>-<partition>`."""
    train_step: dict[str, Any] | None
    """Fields of the train_step that made it, to append it again if the log lacks it; None at step 0."""


State = TypeVar("State", bound=SavedState)


@dataclass(frozen=True)
class Checkpoint(Generic[State]):
    path: Path
    state: State

    @property
    def adapter(self) -> Path:
        return self.path / "adapter"

    def load_adapter(self) -> tuple[dict[str, Tensor], AdapterConfig]:
        """Adapter tensors by PEFT key, checked against the recorded digest. Raises ModelError."""
        if adapter_sha256(self.adapter) != self.state.adapter_sha256:
            raise _damaged(self.path, "its adapter is not the one it recorded")
        return load_adapter(self.adapter)

    def restore_optimizer(self, optimizer: torch.optim.Optimizer, keys: list[str]) -> None:
        """Puts moments and torch's random state back; `keys` name the optimizer's parameters in order."""
        try:
            tensors = load_file(self.path / "optimizer.safetensors")
        except (OSError, SafetensorError) as error:
            raise _damaged(self.path, f"optimizer.safetensors cannot be read: {error}") from error
        torch.set_rng_state(tensors.pop("rng_state"))
        state = {
            index: {name: tensors[f"{name}/{key}"] for name in _MOMENTS}
            for index, key in enumerate(keys)
            if f"step/{key}" in tensors
        }
        optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


def save(
    directory: Path,
    state: State,
    adapter: Mapping[str, Tensor],
    config: AdapterConfig,
    optimizer: torch.optim.Optimizer,
    keys: Sequence[str] | None = None,
) -> Checkpoint[State]:
    """Write one checkpoint. `state.adapter_sha256` is set here.

    `keys` name the optimizer's parameters in order; by default they are those of `adapter`.

    Raises LogFull or ModelError when the disk does not take it, RoleBusy when a learner of a later epoch cleared it
    away meanwhile; nothing is visible then.
    """
    path = directory / checkpoint_name(state.epoch, state.step)
    temporary = path.with_name(path.name + _TEMPORARY)
    moments = optimizer.state_dict()["state"]
    tensors = {
        f"{name}/{key}": moments[index][name]
        for index, key in enumerate(adapter if keys is None else keys)
        if index in moments
        for name in _MOMENTS
    }
    tensors["rng_state"] = torch.get_rng_state()
    try:
        make_private(directory)
        for stale in directory.glob("*" + _TEMPORARY):
            if stale.name <= temporary.name:  # one of a later epoch belongs to the learner that took over
                _clear_away(stale)
        with _made(temporary) as is_there:
            try:
                with ThreadPoolExecutor(1) as pool:
                    written = pool.submit(write_tensors, temporary / "optimizer.safetensors", tensors)
                    digest = save_adapter(temporary / "adapter", adapter, config)
                    written.result()
                state = msgspec.structs.replace(state, adapter_sha256=digest)
                (temporary / "state.json").write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=2))
                for file in (temporary / "state.json", temporary):
                    _fsync(file)
                if not is_there():  # a part of it was: it must not become visible
                    raise FileNotFoundError(temporary)
                temporary.rename(path)
            except (OSError, ModelError) as error:
                if is_there():
                    raise
                raise _cleared_away(temporary) from error
        _fsync(directory)
    except OSError as error:
        raise LogFull(
            f"cannot write the checkpoint {path}: {error}. Free some space or correct permissions, then start "
            "again: it goes on from the checkpoint before."
        ) from error
    return Checkpoint(path, state)


def _clear_away(stale: Path) -> None:
    """Its writer may live: renamed first, so that it loses all at once and makes no file behind this one's back."""
    cleared = stale.with_name(f"{stale.name}.{secrets.token_hex(8)}{_CLEARED}")
    with suppress(FileNotFoundError):  # its writer was the quicker, or another that clears
        stale.rename(cleared)
    for half in stale.parent.glob("*" + _CLEARED):
        shutil.rmtree(half, ignore_errors=True)


@contextmanager
def _made(directory: Path) -> Iterator[Callable[[], bool]]:
    """A new directory. Given is whether the name still means it, not another one or none.

    It is held open, so that its inode is not reused.
    """
    directory.mkdir()
    try:
        own = os.open(directory, os.O_RDONLY)
    except FileNotFoundError as error:
        raise _cleared_away(directory) from error

    def is_there() -> bool:
        try:
            return os.path.samestat(os.fstat(own), directory.stat())
        except FileNotFoundError:
            return False

    try:
        yield is_there
    finally:
        os.close(own)


def _cleared_away(temporary: Path) -> RoleBusy:
    return RoleBusy(
        f"another learner cleared {temporary} away while this one wrote it: this one ends, that one goes on"
    )


def checkpoint_name(epoch: int, step: int) -> str:
    """Of its directory."""
    return f"epoch-{epoch:04d}-step-{step:06d}"


def load_newest(directory: Path, kind: type[State]) -> Checkpoint[State] | None:
    """The checkpoint with the highest epoch, then step; None where there is none. `kind`: of its state.

    Raises ModelError for one that is damaged: it is never skipped silently.
    """
    paths = _checkpoints(directory)
    if not paths:
        return None
    return load(paths[-1], kind)


def load(path: Path, kind: type[State]) -> Checkpoint[State]:
    """The checkpoint of that directory. Raises ModelError when it is damaged or of another format."""
    try:
        state = msgspec.json.decode((path / "state.json").read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise _damaged(path, f"state.json cannot be read: {error}") from error
    if state.format != FORMAT:
        raise ModelError(
            f"{path} has format {state.format}, this trajlog reads {FORMAT}; use the trajlog that wrote it"
        )
    return Checkpoint(path, state)


def prune(directory: Path, keep: int, spare: str = "") -> None:
    """Delete all but the newest `keep` checkpoints and the one named `spare`."""
    for path in _checkpoints(directory)[:-keep]:
        if path.name != spare:
            shutil.rmtree(path)


def _checkpoints(directory: Path) -> list[Path]:
    found = []
    for path in directory.glob("epoch-*-step-*"):
        if match := _NAME.fullmatch(path.name):
            found.append((int(match[1]), int(match[2]), path))
    return [path for _, _, path in sorted(found)]


def _damaged(path: Path, what: str) -> ModelError:
    return ModelError(
        f"checkpoint {path} is damaged: {what}. Restore it from a copy, or move it away to go on from the checkpoint "
        "before; steps made since are then trained again."
    )


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
