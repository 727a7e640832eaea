"""Adapters on disk: PEFT-format directories with a digest that names their numbers, not their bytes on disk.

    adapter_config.json          PEFT's keys; read by PEFT and vLLM too
    adapter_model.safetensors    tensors under PEFT's names, `base_model.model.<module>.lora_A.weight`

The digest is SHA-256 over, for each tensor in sorted order of names: name, dtype (safetensors' own word: F32,
BF16), shape and raw little-endian bytes. File order, header padding and metadata do not enter it, so the same
numbers have the same digest wherever they are written. The learner publishes it in `policy_published`; an
engine computes it again from the files before it serves the version.

Written by the learner, read by engines. `adapter_sha256` and `read_config` need no torch. `save_adapter` forms the
digest from memory while the file is written, so the file is not read again.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trajlog.errors import ModelError
from trajlog.private_folder import make_private
from trajlog.serving.safetensors_file import read_header
from trajlog.tensor_file import dtype_word, memory, write_tensors

if TYPE_CHECKING:
    from torch import Tensor

CONFIG_FILE = "adapter_config.json"
TENSORS_FILE = "adapter_model.safetensors"
_TEMPORARY = re.compile(r"\..+\.(\d+)\.tmp")
_HASH_CHUNK_BYTES = 1 << 20
_REWRITE = "Write the adapter again (save_adapter), or take an earlier version."
_FIXED = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "bias": "none", "lora_dropout": 0.0}
_REFUSED = ("use_dora", "use_rslora", "fan_in_fan_out", "rank_pattern", "alpha_pattern", "modules_to_save")


class AdapterConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a LoRA adapter was made for. The delta of a layer is `lora_alpha / r · B A`."""

    r: int
    """Rank, at least 1."""
    lora_alpha: float
    target_modules: tuple[str, ...]
    """Module names as PEFT matches them (`q_proj`), sorted."""
    base_model_name_or_path: str = ""
    """For people and PEFT; engines do not resolve it."""

    def __post_init__(self) -> None:
        if self.r < 1 or self.lora_alpha <= 0 or not self.target_modules:
            raise ModelError(
                f"adapter config: r={self.r} (at least 1), lora_alpha={self.lora_alpha} (above 0) and "
                f"target_modules={list(self.target_modules)} (not empty) are unusable; set them in the config"
            )


def save_adapter(path: Path, tensors: Mapping[str, "Tensor"], config: AdapterConfig) -> str:
    """Write an adapter directory in one step and return its digest.

    1. write both files under a temporary name beside `path`, 2. fsync files and directory, 3. rename.
    A process killed before 3 leaves a `.NAME.PID.tmp`, which the next save beside it removes.
    A directory with the same digest already at `path` is left as it is; another one is a ModelError, since
    a version number never means two adapters. Tensors that share memory are written, and digested, one by one.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        make_private(path.parent)
        shutil.rmtree(temporary, ignore_errors=True)
        _remove_leftovers(path.parent)
        dense = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        if path.exists():
            digest = tensors_sha256(dense)
            if adapter_sha256(path) != digest:
                raise ModelError(f"{path} holds another adapter already; choose a new directory or move it away")
            return digest
        temporary.mkdir()
        digest = _write(temporary, dense, config)
        os.rename(temporary, path)
        _fsync(path.parent)
        return digest
    except OSError as error:
        raise ModelError(f"cannot write the adapter {path}: {error}. Check free space and permissions.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """Temporary directories of processes that are gone; those of living ones may be half written right now."""
    for leftover in folder.glob(".*.tmp"):
        found = _TEMPORARY.fullmatch(leftover.name)
        if found is not None and not _lives(int(found[1])):
            shutil.rmtree(leftover, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _write(directory: Path, tensors: Mapping[str, "Tensor"], config: AdapterConfig) -> str:
    """Both files, on the disk, and the digest, for which one thread reads the memory that another writes out."""
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(tensors_sha256, tensors)
        write_tensors(directory / TENSORS_FILE, tensors)
        fields = {**_FIXED, **msgspec.to_builtins(config), "inference_mode": True}
        (directory / CONFIG_FILE).write_text(json.dumps(fields, indent=2, sort_keys=True) + "\n")
        for file in (directory / CONFIG_FILE, directory):
            _fsync(file)
        return digest.result()


def load_adapter(path: Path) -> tuple[dict[str, "Tensor"], AdapterConfig]:
    """Tensors (CPU, as stored) and config of an adapter directory. Raises ModelError."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    config = read_config(path)
    read_header(Path(path) / TENSORS_FILE, _REWRITE)
    try:
        return load_file(Path(path) / TENSORS_FILE), config
    except (OSError, SafetensorError) as error:
        raise ModelError(f"cannot read {Path(path) / TENSORS_FILE}: {error}. {_REWRITE}") from error


def read_config(path: Path) -> AdapterConfig:
    """The config of an adapter directory; kinds of adapter that engines cannot serve are refused."""
    file = Path(path) / CONFIG_FILE
    try:
        fields = json.loads(file.read_bytes())
    except FileNotFoundError as error:
        raise ModelError(
            f"{path} is not an adapter directory: it has no {CONFIG_FILE}. Give the directory that holds "
            f"{CONFIG_FILE} and {TENSORS_FILE}."
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read {file}: {error}. {_REWRITE}") from error
    if not isinstance(fields, dict):
        raise ModelError(f"{file} is not a JSON object. {_REWRITE}")
    for name in _REFUSED:
        if fields.get(name):
            raise ModelError(f"{file} sets {name}={fields[name]!r}; only plain LoRA is served. Train it without.")
    if fields.get("peft_type", "LORA") != "LORA" or fields.get("bias", "none") != "none":
        raise ModelError(f"{file}: peft_type must be LORA and bias none; only plain LoRA is served")
    modules = fields.get("target_modules")
    if isinstance(modules, list):
        fields["target_modules"] = sorted(modules)
    try:
        return msgspec.convert(fields, AdapterConfig)
    except msgspec.ValidationError as error:
        raise ModelError(f"{file}: {error}. {_REWRITE}") from error


def tensors_sha256(tensors: Mapping[str, "Tensor"]) -> str:
    """The digest that a directory with these tensors has."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(_heading(name, dtype_word(tensor), list(tensor.shape), tensor.nbytes))
        digest.update(memory(tensor))
    return digest.hexdigest()


def adapter_sha256(path: Path) -> str:
    """Digest over the canonical tensor bytes of an adapter directory, read from the file. Raises ModelError."""
    file = Path(path) / TENSORS_FILE
    header, data_start = read_header(file, _REWRITE)
    digest = hashlib.sha256()
    try:
        with file.open("rb") as stream:
            for name in sorted(header):
                entry = header[name]
                begin, end = entry["data_offsets"]
                digest.update(_heading(name, entry["dtype"], entry["shape"], end - begin))
                stream.seek(data_start + begin)
                for start in range(begin, end, _HASH_CHUNK_BYTES):
                    digest.update(stream.read(min(_HASH_CHUNK_BYTES, end - start)))
    except OSError as error:
        raise ModelError(f"cannot read {file}: {error}. {_REWRITE}") from error
    return digest.hexdigest()


def _heading(name: str, dtype: str, shape: Sequence[int], num_bytes: int) -> bytes:
    return json.dumps([name, dtype, shape, num_bytes], separators=(",", ":")).encode()


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
