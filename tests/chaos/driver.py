"""A whole run in real processes, and a seeded killer that ends them by SIGKILL while it goes on.

Roles: scheduler, assembler, learner, archiver and engine as `trajlog up` starts them; `worker`, the real one with
sandboxes and the scripted engine, and `player` (player.py), which plays most of the episodes. The learner trains a tiny
model. A role that ends by itself, for whatever reason, fails the run: `up` would have ended.

Instants of kills: uniform in time, or right after the log showed the next record of a kind (`AFTER`).
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import psutil

from tests.chaos.invariants import Report, check_run
from tests.harness.tiny_task import CALC
from trajlog.children import PARENT_VARIABLE
from trajlog.config import (
    ArchiveConfig,
    EngineConfig,
    EpisodeConfig,
    GroupConfig,
    LearnerConfig,
    LogConfig,
    ModelConfig,
    RunConfig,
    SamplingConfig,
    SchedulerConfig,
    StalenessConfig,
)
from trajlog.schemas import EpisodeFinished, EpisodeVerdict, GroupVerdict, Producer, TrainStep
from trajlog.stream.control import ControlFollower, start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

ROLES = ("scheduler", "assembler", "archiver", "learner", "engine", "worker", "player")
SLOTS = {"worker": 1, "player": 4}
AFTER = {
    "scheduler": ("episode_assigned", "group_verdict", "episode_verdict", "scheduler_started"),
    "assembler": ("episode_finished", "group_verdict", "group_sealed"),
    "archiver": ("train_step", "group_sealed"),
    "learner": ("group_sealed", "train_step", "learner_started", "policy_published"),
    "engine": ("policy_published", "policy_acknowledged"),
    "worker": ("episode_assigned", "generation", "observation"),
    "player": ("episode_assigned", "generation", "observation", "episode_finished"),
    "broker": ("train_step", "group_verdict", "generation"),
}
"""Kinds whose record is a targeted instant for a kill of that role."""
BEGINNINGS = ("scheduler_started", "learner_started", "policy_acknowledged")
"""What a role appends soon after its start: it is killed twice, the second time right after that record."""
LEASE_S = 8.0
LONGEST_PAUSE_S = 2.0
"""Between a kill and the wait for the next one's instant."""
WITHIN_S = 300.0
"""Longest that the run may take for what is waited for: seven roles may start at once on a busy machine."""
_ROOT = Path(__file__).parents[2]
_PROGRAM = Path(__file__).with_name("role.py")


class Broker:
    """What the driver asks of a broker that it may kill (plumbing/kafka_broker.py)."""

    def kill(self) -> None: ...

    def start(self) -> None: ...


class Kill(msgspec.Struct, frozen=True):
    at_s: float
    """Since the run began."""
    role: str
    after: str
    """Kind whose record was waited for, or "" for an instant at random."""
    back_s: float
    """Until it ran again: the process was started, the broker served."""


class Chaos:
    """One run. `kill` and `finish` may be told apart; `close` leaves nothing running."""

    def __init__(self, url: str, folder: Path, seed: int, prefix: str = "chaos", broker: Broker | None = None) -> None:
        self.url, self.folder, self.seed = url, folder, seed
        self.random = random.Random(seed)
        self.broker = broker
        self.kills: list[Kill] = []
        self.config = make_config(folder, prefix)
        self._began_s = time.monotonic()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._started = 0
        self._log: Log = open_log(url, create=True)
        start_run(self._log, self.config, Producer("up"))
        topics = [self.config.topic(name) for name in ("rollouts", "groups", "control")]
        self._watch = self._log.reader(topics, "end")
        self.num_steps = 0
        for role in ROLES:
            self.start(role)

    def start(self, role: str) -> None:
        self._started += 1
        arguments = [role, "--log", self.url, "--prefix", self.config.log.prefix]
        if role in ("archiver", "learner", "engine"):
            arguments += ["--run-dir", str(self.folder)]
        if role in SLOTS:
            arguments += ["--slots", str(SLOTS[role])]
        journal = self.folder / "journals" / f"{self._started:04d}-{role}"
        environment = {
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "OMP_NUM_THREADS": "1",
            PARENT_VARIABLE: str(os.getpid()),
        }
        command = [sys.executable, "-W", "ignore", str(_PROGRAM), str(journal), str(self.folder / "model"), *arguments]
        with (self.folder / "logs" / f"{role}.log").open("ab") as output:
            output.write(f"--- start {self._started} at {self.elapsed_s():.1f} s\n".encode())
            output.flush()
            self._processes[role] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, start_new_session=True
            )

    def elapsed_s(self) -> float:
        return time.monotonic() - self._began_s

    def check(self) -> None:
        """Fail when a role ended by itself."""
        for role, process in self._processes.items():
            if process.poll() is not None:
                raise AssertionError(f"{role} ended by itself with {process.returncode}\n{self.story()}")

    def watch(self, kind: str = "") -> bool:
        """Read what came; whether a record of `kind` did."""
        seen = False
        for record in self._watch.poll(0.05):
            found = record.header("kind")
            self.num_steps += found == TrainStep.kind
            seen = seen or found == kind
        self.check()
        return seen

    def until(self, condition: Callable[[], object], what: str, timeout_s: float = WITHIN_S) -> None:
        deadline = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what}: not within {timeout_s:.0f} s\n{self.story()}")

    def train(self, steps: int) -> None:
        """Wait for so many more train_steps."""
        goal = self.num_steps + steps
        self.until(lambda: self.watch() or self.num_steps >= goal, f"{steps} more train steps")

    def pause(self, longest_s: float) -> None:
        until_s = time.monotonic() + self.random.uniform(0.0, longest_s)
        while time.monotonic() < until_s:
            self.watch()

    def kill(self, role: str, after: str = "") -> None:
        """SIGKILL a role that is up, with all that it started, or the broker; then start it again."""
        if after in BEGINNINGS:
            self.kill(role)
        if role != "broker" and after not in BEGINNINGS:  # waiting for that would read past its beginning
            self.until(lambda: self.watch() or self._is_up(role), f"the {role} to begin")
        if after:
            self.until(lambda: self.watch(after), f"a {after} to kill the {role} after")
        at_s = self.elapsed_s()
        if role == "broker":
            assert self.broker is not None
            self.broker.kill()
            self.broker.start()
        else:
            self._end(role)
            self.start(role)
        self.kills.append(Kill(round(at_s, 2), role, after, round(self.elapsed_s() - at_s, 2)))

    def kill_any(self, roles: Sequence[str], longest_pause_s: float) -> None:
        """Kill one of `roles` at an instant, both by the seed."""
        role = self.random.choice(roles)
        after = self.random.choice(("", *AFTER[role]))
        self.pause(longest_pause_s)
        self.kill(role, after)

    def _is_up(self, role: str) -> bool:
        """Whether it has opened the log since its last start."""
        return f"{role} of run" in (self.folder / "logs" / f"{role}.log").read_text().rpartition("--- start")[2]

    def _end(self, role: str) -> None:
        process = self._processes[role]
        tree = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for child in tree:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
        process.wait()

    def stop(self, *roles: str) -> None:
        """SIGTERM once each is up; each must end in order within WITHIN_S."""
        for role in roles:
            self.until(lambda role=role: self.watch() or self._is_up(role), f"the {role} to begin")
            self._processes[role].send_signal(signal.SIGTERM)
        for role in roles:
            code = self._processes.pop(role).wait(WITHIN_S)
            if code != 0:
                raise AssertionError(f"{role} ended with {code} when it was asked to stop\n{self.story()}")

    def finish(self) -> Report:
        """End the run in order and judge it."""
        self.stop("scheduler")
        self.stop("player", "worker")
        self.until(self._judged, "a verdict for every finished episode of a judged group")
        self.stop("assembler", "learner", "engine")
        self.stop("archiver")
        kills = [kill.role for kill in self.kills]
        report = check_run(
            self._log,
            self.config,
            self.folder,
            journals=sorted((self.folder / "journals").iterdir()),
            num_slots=1,
            num_worker_kills=sum(SLOTS.get(role, 0) for role in kills),
        )
        (self.folder / "report.txt").write_text(f"{report}\n{self.story()}\n")
        return report

    def _judged(self) -> bool:
        self.watch()
        kinds = {EpisodeVerdict.kind, GroupVerdict.kind}
        with ControlFollower(self._log, self.config.topic("control"), kinds) as control:
            verdicts = [event for _, event in control.catch_up()]
        episodes = {event.episode_id for event in verdicts if isinstance(event, EpisodeVerdict)}
        groups = {event.group_id for event in verdicts if isinstance(event, GroupVerdict)}
        with ControlFollower(self._log, self.config.topic("rollouts"), {EpisodeFinished.kind}) as rollouts:
            finished = [event for _, event in rollouts.catch_up()]
        return all(event.episode_id in episodes for event in finished if event.group_id in groups)

    def story(self) -> str:
        """Seed, kills and where to look."""
        counted = [
            f"  {kill.at_s:8.2f} s {kill.role:<10} back after {kill.back_s:5.2f} s"
            + (f", killed after {kill.after}" if kill.after else "")
            for kill in self.kills
        ]
        logs = "\n".join(
            f"  {path}: {path.read_text(errors='replace').splitlines()[-1:]}"
            for path in sorted((self.folder / "logs").iterdir())
        )
        kills = "\n".join(counted) or "  none"
        return f"seed {self.seed}, {len(self.kills)} kills:\n{kills}\nlog {self.url}, folder {self.folder}\n{logs}"

    def row(self, report: Report) -> str:
        """Of the table in docs/delivery.md."""
        counts = Counter(kill.role for kill in self.kills)
        cells = (
            self.url.partition(":")[0],
            self.seed,
            len(self.kills),
            ", ".join(f"{role} {count}" for role, count in sorted(counts.items())),
            report.episodes,
            f"{report.groups_trained} in {report.train_steps}",
            f"{report.acknowledged_lost} of {report.acknowledged}",
            report.trained_twice,
            report.skipped,
            report.duplicate_verdicts,
            f"{report.abandoned} (bound {report.abandoned_allowed})",
            f"{report.abandoned_generation_s:.2f} of {report.generation_s:.2f}",
        )
        return "| " + " | ".join(map(str, cells)) + " |"

    def close(self) -> None:
        for role in list(self._processes):
            if self._processes[role].poll() is None:
                self._end(role)
        self._watch.close()
        self._log.close()

    def __enter__(self) -> "Chaos":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
        if exc[0] is None:
            shutil.rmtree(self.folder)


def kill_for(chaos: Chaos, roles: Sequence[str], minutes: float) -> Report:
    """Kill every role once, in an order and at instants of the seed; then any of them until `minutes` have passed (0:
    none more). Between kills the run may go on or not: every eighth one waits for a train step. Then let it train on,
    end it, judge it, and print what the table in docs/delivery.md says."""
    chaos.train(1)
    for role in chaos.random.sample(roles, len(roles)):
        chaos.kill_any([role], LONGEST_PAUSE_S)
    while chaos.elapsed_s() < 60 * minutes:
        chaos.kill_any(roles, LONGEST_PAUSE_S)
        if len(chaos.kills) % 8 == 0:
            chaos.train(1)
    chaos.train(2)
    report = chaos.finish()
    print(f"{chaos.story()}\n{report}\n{chaos.row(report)}")
    return report


def make_config(folder: Path, prefix: str) -> RunConfig:
    """Writes model, tasks and script of a run into `folder`; its settings."""
    for name in ("journals", "logs"):
        (folder / name).mkdir(parents=True)
    _write_model(folder / "model")
    _write_task(folder / "tasks" / "calc")
    fix = "if [ $(($(od -An -N1 -tu1 /dev/urandom) % 2)) = 0 ]; then sed -i s/-/+/ calc.py; fi"
    calls = [{"name": "bash", "arguments": {"command": fix}}, {"name": "done", "arguments": {}}]
    turns = [f"<tool_call>{msgspec.json.encode(call).decode()}</tool_call>" for call in calls]
    (folder / "script.json").write_bytes(msgspec.json.encode([{"marker": "", "turns": turns}]))
    return RunConfig(
        run_id="chaos",
        log=LogConfig(prefix=prefix, num_partitions=2),
        model=ModelConfig(name="byte"),
        engine=EngineConfig(kind="scripted", script=str(folder / "script.json")),
        sampling=SamplingConfig(max_tokens=400),
        episode=EpisodeConfig(
            tasks=str(folder / "tasks"), tools=("bash", "done"), turn_limit=3, context_limit=8000, sandbox="local"
        ),
        group=GroupConfig(group_size=4, min_group_size=2, seal_timeout_s=60.0),
        staleness=StalenessConfig(max_off_policy_steps=4),
        scheduler=SchedulerConfig(lease_s=LEASE_S, high_water_groups=6, low_water_groups=3, max_open_groups=4),
        learner=LearnerConfig(
            groups_per_step=2,
            lora_rank=2,
            lora_alpha=4.0,
            lora_targets=("q_proj", "k_proj", "v_proj", "o_proj"),
            max_tokens_per_microbatch=8000,
            kl_coef=0.01,
        ),
        archive=ArchiveConfig(flush_s=1.0, compact_every_commits=20),
    )


def _write_model(path: Path) -> None:
    """A Qwen3 of one layer, random, with as many tokens as the byte tokenizer has; written without torch, which takes
    seconds to import."""
    import numpy as np
    from safetensors.numpy import save_file

    tokens, hidden, head, inner = 259, 16, 8, 32
    shapes = {
        "embed_tokens": (tokens, hidden),
        "norm": (hidden,),
        "layers.0.input_layernorm": (hidden,),
        "layers.0.post_attention_layernorm": (hidden,),
        "layers.0.self_attn.q_norm": (head,),
        "layers.0.self_attn.k_norm": (head,),
        "layers.0.self_attn.q_proj": (2 * head, hidden),
        "layers.0.self_attn.k_proj": (head, hidden),
        "layers.0.self_attn.v_proj": (head, hidden),
        "layers.0.self_attn.o_proj": (hidden, 2 * head),
        "layers.0.mlp.gate_proj": (inner, hidden),
        "layers.0.mlp.up_proj": (inner, hidden),
        "layers.0.mlp.down_proj": (hidden, inner),
    }
    rng = np.random.default_rng(0)
    weights = {
        f"model.{name}.weight": (
            np.ones(shape, np.float32) if len(shape) == 1 else rng.normal(0.0, 0.02, shape).astype(np.float32)
        )
        for name, shape in shapes.items()
    }
    config = {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": tokens,
        "hidden_size": hidden,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": head,
        "intermediate_size": inner,
        "max_position_embeddings": 8192,
        "tie_word_embeddings": True,
    }
    path.mkdir()
    save_file(weights, path / "model.safetensors", metadata={"format": "pt"})
    (path / "config.json").write_bytes(msgspec.json.encode(config))


def _write_task(path: Path) -> None:
    for folder, files in (("workspace", CALC.workspace), ("solution", CALC.solution), ("hidden", CALC.hidden_tests)):
        for name, content in files.items():
            (path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (path / folder / name).write_bytes(content)
    (path / "statement.md").write_text(CALC.statement)
    fields = {
        "title": CALC.title,
        "category": CALC.category,
        "difficulty": CALC.difficulty,
        "debugger": CALC.debugger,
        "source_files": list(CALC.source_files),
        "timeout_s": CALC.timeout_s,
        "expected_ids": list(CALC.expected_ids),
    }
    (path / "task.toml").write_text("".join(f"{k} = {msgspec.json.encode(v).decode()}\n" for k, v in fields.items()))
