"""The corpus: what an example holds, what is left out, and the same bytes every time."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.stream.archive_events import append, episode, new_log, run_config
from trajlog.analytics.sft_corpus import CORPUS, MANIFEST, read_manifest, replay_sft
from trajlog.errors import ArchiveError, ConfigError
from trajlog.schemas import Event, Generation, token_digest
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archiver import archive_location, run_archiver
from trajlog.stream.log import Log


def archive(log: Log, run_dir: Path, *batches: list[Event], **settings: Any) -> None:
    """Append each batch and archive it in a commit of its own."""
    stop = threading.Event()
    stop.set()
    for batch in batches:
        append(log, "t.rollouts", batch)
        run_archiver(log, run_config(**settings), run_dir, stop)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / CORPUS).read_bytes().splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def replaced(event: Event, **changes: Any) -> Event:
    return msgspec.structs.replace(event, **changes)


def test_an_example_has_messages_tools_tokens_and_mask(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log:
        archive(log, tmp_path, episode("g", "e1", task="cart", version=3))
        manifest = replay_sft(tmp_path, tmp_path / "sft")
    (example,) = lines(tmp_path / "sft")
    call = {"type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"'}}
    assert example == {
        "messages": [
            {"role": "system", "content": "Fix it."},
            {"role": "user", "content": "The cart is wrong."},
            {"role": "assistant", "content": "look 0", "tool_calls": [{"id": "call-0", **call}]},
            {"role": "tool", "tool_call_id": "call-0", "name": "bash", "content": "cart.py\n"},
            {"role": "assistant", "content": "look 1", "tool_calls": [{"id": "call-1", **call}]},
        ],
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}],
        "token_ids": [0, 1, 10, 11, 12, 100, 101, 110, 111, 112],
        "assistant_masks": [0, 0, 1, 1, 1, 0, 0, 1, 1, 1],
        "run_id": "run",
        "group_id": "g",
        "episode_id": "e1",
        "task_id": "cart",
        "category": "shared_state",
        "chain": 0,
        "policy_version": 3,
        "outcome": "solved",
        "reward": 1.0,
    }
    assert (manifest.num_examples, manifest.num_tokens, manifest.num_assistant_tokens) == (1, 10, 6)


def test_a_call_is_taken_out_of_the_text_and_a_turn_without_one_is_answered_as_the_user(tmp_path: Path) -> None:
    events = episode("g", "e1", num_turns=2)
    events[1] = replaced(events[1], text='First look.\n<tool_call>{"name": "bash"}</tool_call>')
    events[4] = replaced(events[4], text="I am done.")
    events[5] = replaced(events[6], call_id=None, name=None, content="No tool call found.", seq=5)
    events[6] = replaced(events[4], event_id=events[6].event_id, seq=6, turn=2, prefix_len=10, text="Then look.")
    tokens = [0, 1, 10, 11, 12, 100, 101, 110, 111, 112]
    events[6] = replaced(events[6], prefix_sha256=token_digest(tokens))
    with new_log(tmp_path, run_config()) as log:
        archive(log, tmp_path, events)
        replay_sft(tmp_path, tmp_path / "sft")
    (example,) = lines(tmp_path / "sft")
    assert [(m["role"], m["content"], "tool_calls" in m) for m in example["messages"][2:]] == [
        ("assistant", "First look.", True),
        ("tool", "cart.py\n", False),
        ("assistant", "I am done.", False),
        ("user", "No tool call found.", False),
        ("assistant", "Then look.", False),
    ]


def test_each_generated_token_is_trained_once_where_a_rewrite_began_a_new_chain(tmp_path: Path) -> None:
    events = episode("g", "e1", num_turns=2)
    events[4] = replaced(
        events[4], chain=1, prefix_len=0, prefix_sha256=token_digest([]), prompt_token_ids=(7, 10, 11, 12, 8)
    )
    with new_log(tmp_path, run_config()) as log:
        archive(log, tmp_path, events)
        manifest = replay_sft(tmp_path, tmp_path / "sft")
    first, second = lines(tmp_path / "sft")
    assert (first["chain"], first["token_ids"], first["assistant_masks"]) == (0, [0, 1, 10, 11, 12], [0, 0, 1, 1, 1])
    assert second["token_ids"] == [7, 10, 11, 12, 8, 110, 111, 112]
    assert second["assistant_masks"] == [0, 0, 0, 0, 0, 1, 1, 1]
    assert (len(first["messages"]), len(second["messages"])) == (3, 5)
    assert (manifest.num_episodes, manifest.num_examples) == (1, 2)


def test_what_is_left_out_is_counted_by_reason(tmp_path: Path) -> None:
    broken = episode("g", "e5")
    assert isinstance(broken[4], Generation)
    broken[4] = replaced(broken[4], prefix_sha256=token_digest([1]))
    holed = [event for event in episode("g", "e6") if event.seq != 3]
    with new_log(tmp_path, run_config()) as log:
        archive(
            log,
            tmp_path,
            episode("g", "e1"),
            episode("g", "e2", outcome="failed", reward=-1.0),
            episode("g", "e3", outcome="turn_cap", reward=-0.5) + episode("g", "e4", outcome=None),
            broken + holed + episode("g", "e7", num_turns=0),
        )
        manifest = replay_sft(tmp_path, tmp_path / "sft")
    assert manifest.rejected == {
        "broken_chain": 1,
        "failed": 1,
        "incomplete": 1,
        "no_generation": 1,
        "running": 1,
        "turn_cap": 1,
    }
    assert [example["episode_id"] for example in lines(tmp_path / "sft")] == ["e1"]


def test_the_bytes_do_not_depend_on_files_compaction_or_repeated_events(tmp_path: Path) -> None:
    batches = [episode(f"g{n % 3}", f"e{n}", task=f"task-{n % 2}") for n in range(6)]
    (tmp_path / "many").mkdir()
    with new_log(tmp_path / "many", run_config()) as log:
        archive(log, tmp_path / "many", *batches)
        first = replay_sft(tmp_path / "many", tmp_path / "one")
        tidy_archive(str(archive_location(tmp_path / "many")), thorough=True)
        replay_sft(tmp_path / "many", tmp_path / "two")
        assert contents(tmp_path / "one") == contents(tmp_path / "two")
        archive(log, tmp_path / "many", batches[2][1:4])
        third = replay_sft(tmp_path / "many", tmp_path / "three")
    (tmp_path / "single").mkdir()
    with new_log(tmp_path / "single", run_config()) as log:
        archive(log, tmp_path / "single", [event for batch in batches for event in batch])
        fourth = replay_sft(tmp_path / "single", tmp_path / "four")
    assert first.num_examples == 6
    assert len({m.sha256 for m in (first, third, fourth)}) == 1
    assert hashlib.sha256((tmp_path / "four" / CORPUS).read_bytes()).hexdigest() == fourth.sha256


def test_an_earlier_corpus_is_made_again_from_its_manifest_when_more_is_archived(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log:
        archive(log, tmp_path, episode("g", "e1"))
        replay_sft(tmp_path, tmp_path / "old")
        archive(log, tmp_path, episode("h", "e2") + episode("g", "e3"))
        assert replay_sft(tmp_path, tmp_path / "new").num_examples == 3
        old = read_manifest(tmp_path / "old" / MANIFEST)
        replay_sft(tmp_path, tmp_path / "again", old)
        assert contents(tmp_path / "again") == contents(tmp_path / "old")
        with pytest.raises(ConfigError, match="does not have yet"):
            replay_sft(tmp_path, tmp_path / "future", replace(old, as_of={name: 10**6 for name in old.as_of}))
        with pytest.raises(ConfigError, match="is of log other"):
            replay_sft(tmp_path, tmp_path / "other", replace(old, log_identity="other"))
        with pytest.raises(ConfigError, match="comes out with sha256"):
            replay_sft(tmp_path, tmp_path / "edited", replace(old, sha256="0" * 64))
        assert not any((tmp_path / name).exists() for name in ("future", "other", "edited"))


def test_a_folder_that_holds_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log:
        archive(log, tmp_path, episode("g", "e1"))
        replay_sft(tmp_path, tmp_path / "sft")
        replay_sft(tmp_path, tmp_path / "sft")
        before = contents(tmp_path / "sft")
        archive(log, tmp_path, episode("g", "e2"))
        with pytest.raises(ConfigError, match=r"holds something else \(corpus.jsonl, manifest.json\)"):
            replay_sft(tmp_path, tmp_path / "sft")
        assert contents(tmp_path / "sft") == before
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
        (tmp_path / "empty").mkdir()
        assert replay_sft(tmp_path, tmp_path / "empty").num_examples == 2


def test_odd_text_cannot_break_a_line(tmp_path: Path) -> None:
    events = episode("g", "e1", num_turns=2)
    events[3] = replaced(events[3], content="a\u2028b\u0085c\x00 \ud83d ü")
    with new_log(tmp_path, run_config()) as log:
        archive(log, tmp_path, events)
        replay_sft(tmp_path, tmp_path / "sft")
    data = (tmp_path / "sft" / CORPUS).read_bytes()
    assert data.isascii()
    assert len(data.decode().splitlines()) == 1
    assert lines(tmp_path / "sft")[0]["messages"][3]["content"] == "a\u2028b\u0085c\x00 \ufffd ü"


def test_a_run_that_solved_nothing_gives_an_empty_corpus_and_the_reasons(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log:
        archive(log, tmp_path, episode("g", "e1", outcome="guard", reward=-1.0))
        manifest = replay_sft(tmp_path, tmp_path / "sft")
        assert (manifest.num_examples, manifest.rejected) == (0, {"guard": 1})
        assert (tmp_path / "sft" / CORPUS).read_bytes() == b""


def test_without_an_archive_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no archive"):
        replay_sft(tmp_path, tmp_path / "sft")
    assert list(tmp_path.iterdir()) == []


def test_calls_in_any_format_move_from_the_text_to_tool_calls(tmp_path: Path) -> None:
    texts = {
        "hermes": 'look 0\n<tool_call>\n{"name": "bash"}\n</tool_call>',
        "qwen": "look 0\n<tool_call>\n<function=bash>\n</function>\n</tool_call>",
        "openai": 'look 0\n{"tool_calls": [{"type": "function", "function": {"name": "bash"}}]}',
    }
    with new_log(tmp_path, run_config()) as log:
        for name, text in texts.items():
            events = episode("g", name, num_turns=1)
            archive(log, tmp_path, [replaced(e, text=text) if isinstance(e, Generation) else e for e in events])
        replay_sft(tmp_path, tmp_path / "sft")
    turns = [example["messages"][2] for example in lines(tmp_path / "sft")]
    assert [turn["content"] for turn in turns] == ["look 0"] * 3
    assert [turn["tool_calls"][0]["function"]["name"] for turn in turns] == ["bash"] * 3
