"""A run's settings: one TOML file, validated at construction, written into the log once (run_started).

Importable without torch. Every role of a run takes its settings from run_started, so that they cannot disagree; the
TOML is read once, by `trajlog up` or by the scheduler. An unknown or missing field is an error that names it.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from trajlog.errors import ConfigError
from trajlog.harness.guards import GuardConfig
from trajlog.harness.rewards import RewardConfig

Positive = Annotated[int, msgspec.Meta(ge=1)]
NonNegative = Annotated[int, msgspec.Meta(ge=0)]
Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
PositiveFloat = Annotated[float, msgspec.Meta(gt=0)]

GROUP_SIZES = {"cpu": (2, 4), "gpu": (8, 12), "node": (12, 12)}
"""Range of group sizes per hardware profile. cpu: a few slots, where a group of 12 would take the whole machine for
long; gpu: one GPU and up to some 60 slots; node: several GPUs, always full groups of 12 as in the recipe."""


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class LogConfig(_Section):
    prefix: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")] = "trajlog"
    """Topics are <prefix>.rollouts, .groups, .control, .liveness, .engines."""
    num_partitions: Positive = 4
    """Of .rollouts and .groups; fixed for the run. Assemblers and archivers scale up to this number."""


class ModelConfig(_Section):
    name: str = "smollm2"
    """A fetched model's name (`trajlog models fetch`), a path, or a hub id. `byte` with the scripted engine."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of the base model, in engine and learner alike; the adapter is float32."""


class SamplingConfig(_Section):
    temperature: PositiveFloat = 1.0
    """Only 1.0 with top_p 1.0 keeps the sampler's log-probabilities equal to the learner's without correction."""
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    """1 = off."""
    max_tokens: Positive = 512
    """Generated tokens per turn."""


class EpisodeConfig(_Section):
    tasks: str = ""
    """Folder of tasks; empty = those shipped with trajlog. Relative to the TOML file."""
    task_ids: tuple[str, ...] = ()
    """Only these tasks; empty = all of `split`."""
    split: Literal["train", "validation", "test"] = "train"
    """Which tasks are played when task_ids is empty."""
    tools: tuple[str, ...] = ("bash", "read_file", "edit_file", "run_tests", "done")
    """Names of harness/tools/, offered in this order; `debugger` stands for all of the debugger's."""
    debugger: Literal["offered", "withheld"] = "offered"
    """withheld: the debugger's tools are taken out of `tools`, the control arm of a comparison (`--no-debugger`)."""
    tool_format: Literal["hermes", "qwen3_coder", "openai"] = "hermes"
    """How the model writes its calls; a file of producers/tool_calls/."""
    turn_limit: Positive = 50
    """Generations of one episode; then its outcome is turn_cap."""
    context_limit: Positive = 16384
    """Tokens of one chain, prompt and generation together."""
    sandbox: Literal["auto", "docker", "local"] = "auto"
    """Where tools run: containers, processes on the worker's machine, or containers wherever an engine answers and
    the image was built (`trajlog sandbox build`). The local one is no security boundary."""
    tool_timeout_s: PositiveFloat = 30.0
    """Seconds of one tool call; what still runs then is killed."""
    max_observation_bytes: Positive = 8192
    """What a tool's answer is cut to, half from its start and half from its end."""


class GroupConfig(_Section):
    group_size: Positive = 12
    """Members of a full group: episodes of one task. With a hardware profile, the most of them."""
    hardware: Literal["any", "cpu", "gpu", "node"] = "any"
    """Hardware profile: the range of group sizes from which the scheduler chooses per group, by the task's estimated
    success (GROUP_SIZES, docs/scheduling.md). any: every group has group_size members."""
    min_group_size: Positive = 8
    """Least members of a partial group sealed by timeout, and least left after stale ones are excluded."""
    seal_timeout_s: PositiveFloat = 600.0
    """Append time after a group's first finished episode at which it is sealed partial or rejected too_few."""
    open_limit_s: PositiveFloat = 3600.0
    """Append time after a group's first event at which it is closed with what it has, however its episodes fare; never
    before seal_timeout_s. To be longer than any episode takes: it bounds what an assembler reads again at a restart,
    and verdicts are remembered for twice as long."""
    min_reward_std: Annotated[float, msgspec.Meta(ge=0)] = 1e-6
    """A group whose rewards' standard deviation is not above this is rejected as zero_variance."""

    def longest_open_s(self) -> float:
        """Append time after which no group is open any more."""
        return max(self.open_limit_s, self.seal_timeout_s)

    def sizes(self) -> tuple[int, int]:
        """Smallest and largest size of a full group: the profile's range, with group_size as its upper limit."""
        smallest, largest = GROUP_SIZES.get(self.hardware, (self.group_size, self.group_size))
        largest = min(largest, self.group_size)
        return min(smallest, largest), largest


class StalenessConfig(_Section):
    max_off_policy_steps: NonNegative = 4
    """Versions that a turn may lag behind the one trained next; older turns are masked (docs/staleness.md)."""
    off_policy_strategy: Literal["drop", "wait"] = "drop"
    """drop: train what is fresh when it comes; wait: open groups only while none can become too old."""


class AssemblerConfig(_Section):
    memory_bytes: Positive = 2 * 1024 * 1024 * 1024
    """Bytes of open groups, about, above which an assembler reads one partition at a time: 8 a generated token,
    4 a prompt token."""


class SchedulerConfig(_Section):
    lease_s: PositiveFloat = 60.0
    """A worker silent for so long loses its episodes; they are abandoned and assigned anew."""
    high_water_groups: Positive = 8
    """Sealed, untrained groups at which no new group is opened; open ones are still completed."""
    low_water_groups: NonNegative = 4
    """... until there are no more than these; at least learner.groups_per_step - 1 (docs/scheduling.md)."""
    max_open_groups: Positive = 8
    """Groups open at once; a new one opens only when every open group is fully assigned."""
    max_episodes: NonNegative = 0
    """Stop opening groups after so many assignments; 0 = no limit."""


class LearnerConfig(_Section):
    algorithm: Literal["grpo", "dr_grpo", "weighted_grpo", "tis"] = "weighted_grpo"
    """A file of learner/algorithms/."""
    groups_per_step: Positive = 4
    """Sealed groups of one optimizer step."""
    max_steps: NonNegative = 0
    """Stop after so many optimizer steps; 0 = never."""
    learning_rate: PositiveFloat = 1e-5
    """AdamW's, constant."""
    weight_decay: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    max_grad_norm: PositiveFloat = 1.0
    """Gradients are scaled down to this norm over all LoRA parameters."""
    lora_rank: Positive = 8
    lora_alpha: PositiveFloat = 16.0
    """The adapter is scaled by lora_alpha / lora_rank."""
    lora_targets: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    """Linear modules of the base that get an adapter, by the last part of their name."""
    max_tokens_per_microbatch: Positive = 16384
    """Tokens scored together; bounds memory, changes no result. At least episode.context_limit."""
    clip_low: PositiveFloat = 0.2
    clip_high: PositiveFloat = 0.28
    """The importance ratio counts within 1 - clip_low .. 1 + clip_high."""
    length_alpha: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Exponent of the length weight (mean of the group / own length); 0 = off."""
    kl_coef: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Initial coefficient of the KL penalty against the reference adapter; 0 = off."""
    kl_target: PositiveFloat = 0.05
    """Mean KL per token that the coefficient is adapted to."""
    bc_coef: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Weight of the behaviour-cloning anchor; 0 = off. Needs bc_corpus."""
    bc_corpus: str = ""
    """Folder made by `trajlog replay sft` or `trajlog demonstrations`; examples are replayed from it."""
    bc_examples_per_step: Positive = 4
    """Examples of the anchor in each step."""
    init_adapter: str = ""
    """PEFT directory that version 0 starts from; empty = a fresh adapter (B = 0)."""
    keep_checkpoints: Positive = 3
    """The newest ones; published adapters lie in them."""
    watchdog_s: PositiveFloat = 300.0
    """Seconds without a group after which, and each time again, the learner's log says why none comes."""
    sharding: Literal["auto", "replicated", "sharded"] = "auto"
    """With several ranks: each holds the whole base, or a part of it; auto: sharded only where the whole leaves too
    little memory (learner/sharding.py)."""
    deterministic: bool = False
    """The same batches give the same bits on the same devices; costs some speed."""
    attention: Literal["auto", "cudnn", "flash_attention_4", "sdpa"] = "auto"
    """Kernels of a Qwen3-MoE's attention (kernels/attention.py); other models take auto only. auto: cuDNN on CUDA,
    torch's elsewhere; with deterministic, FlashAttention-4 where it is installed, torch's elsewhere."""
    recompute: Literal["none", "experts", "around_attention", "layer"] = "none"
    """What a Qwen3-MoE's backward pass makes again instead of keeping it, from the most memory to the least
    (learner/qwen3_moe.py); other models take none only."""
    share_prefix: bool = False
    """Compute once in each microbatch what all its sequences begin with (learner/sharing.py); of a Qwen3-MoE only."""
    seed: NonNegative = 0


class ArchiveConfig(_Section):
    url: Annotated[str, msgspec.Meta(pattern=r"^$|^(s3|gs|abfs|abfss)://[^/]+/.*[^/]$")] = ""
    """Folder of an object store that only this run uses, as s3://bucket/runs/a, gs:// or abfs://; empty =
    <run-dir>/archive. Keys, region and endpoint come from the environment (AWS_*, GOOGLE_*, AZURE_*)."""
    flush_bytes: Positive = 64 * 1024 * 1024
    """Bytes of records that wait, at which they are archived ..."""
    flush_s: PositiveFloat = 10.0
    """... or seconds that the oldest of them waits."""
    compact_every_commits: Positive = 100
    """Table versions between two mergers of small files."""


class EngineConfig(_Section):
    kind: Literal["transformers", "scripted", "vllm"] = "transformers"
    """What samples: a model in this process, a script, or a vLLM server beside it."""
    script: str = ""
    """Scripted engine's script file (JSON). Relative to the TOML file."""
    vllm_url: str = ""
    """Server that a vllm engine process stands beside."""
    max_batch: Positive = 8
    """Requests that the transformers engine decodes together."""
    prefix_cache_tokens: NonNegative = 65536
    """Tokens of finished conversations whose keys and values are kept."""


class RouterReplayConfig(_Section):
    """A mixture's routing, taken over from sampling to training, so that both send a token to the same experts."""

    directory: str = ""
    """Folder that workers and learner share: engines tell which experts their routers chose, workers write that there
    (384 bytes a token for 48 layers of top-8), the learner trains with it. Empty = the learner's own routers choose.
    Relative to the TOML file."""


class DemonstrationConfig(_Section):
    """A short SFT on scripted demonstrations before version 0, for models that solve nothing untrained."""

    enabled: bool = False
    epochs: Positive = 3
    """Passes over the demonstrations."""
    examples_per_step: Positive = 4
    learning_rate: PositiveFloat = 1e-3


class RunConfig(_Section):
    """One run. `run_id` names it in every event and in `runs/<run_id>/`."""

    run_id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")]
    seed: NonNegative = 0
    log: LogConfig = LogConfig()
    model: ModelConfig = ModelConfig()
    sampling: SamplingConfig = SamplingConfig()
    episode: EpisodeConfig = EpisodeConfig()
    rewards: RewardConfig = RewardConfig()
    """Weights of harness/rewards.py; `trajlog rewards recompute` tries others on what was recorded."""
    guards: GuardConfig = GuardConfig()
    """When an episode is stopped early (harness/guards.py)."""
    group: GroupConfig = GroupConfig()
    staleness: StalenessConfig = StalenessConfig()
    assembler: AssemblerConfig = AssemblerConfig()
    scheduler: SchedulerConfig = SchedulerConfig()
    learner: LearnerConfig = LearnerConfig()
    archive: ArchiveConfig = ArchiveConfig()
    engine: EngineConfig = EngineConfig()
    router_replay: RouterReplayConfig = RouterReplayConfig()
    demonstrations: DemonstrationConfig = DemonstrationConfig()

    def __post_init__(self) -> None:
        smallest, _ = self.group.sizes()
        if self.group.min_group_size > smallest:
            profile = "" if self.group.hardware == "any" else f" with group.hardware {self.group.hardware!r}"
            raise ValueError(
                f"group.min_group_size ({self.group.min_group_size}) is larger than the smallest full group{profile} "
                f"({smallest}): lower it, or raise group.group_size or change group.hardware"
            )
        if self.scheduler.low_water_groups >= self.scheduler.high_water_groups:
            raise ValueError(
                f"scheduler.low_water_groups ({self.scheduler.low_water_groups}) must be below high_water_groups "
                f"({self.scheduler.high_water_groups}), or assignments would never resume"
            )
        if self.scheduler.low_water_groups < self.learner.groups_per_step - 1:
            low, wanted = self.scheduler.low_water_groups, self.learner.groups_per_step
            raise ValueError(
                f"scheduler.low_water_groups ({low}) is below learner.groups_per_step ({wanted}) - 1: with {low + 1} "
                f"sealed groups left a paused scheduler opens none, and the learner would wait for ever; set "
                f"low_water_groups to {wanted - 1} or more and high_water_groups above it, or groups_per_step to "
                f"{low + 1} or less"
            )
        if self.learner.max_tokens_per_microbatch < self.episode.context_limit:
            raise ValueError(
                f"learner.max_tokens_per_microbatch ({self.learner.max_tokens_per_microbatch}) is below "
                f"episode.context_limit ({self.episode.context_limit}): long episodes could not be trained; raise the "
                f"first or lower the second"
            )
        if self.learner.bc_coef > 0 and not self.learner.bc_corpus:
            raise ValueError("learner.bc_coef is above 0: set learner.bc_corpus to a corpus folder, or bc_coef to 0")
        if self.engine.kind == "vllm" and not self.engine.vllm_url:
            raise ValueError("engine.kind is vllm: set engine.vllm_url to the server's address")
        if "@" in self.engine.vllm_url:
            raise ValueError(
                "engine.vllm_url holds a login (something before an @), and settings are stored in the log for ever: "
                "give the address alone"
            )
        if re.search(r"://[^/]*:|\?", self.archive.url):
            raise ValueError(
                "archive.url holds a login (user:password@ or ?...), and settings are stored in the log for ever: give "
                "the address alone; keys come from the environment (AWS_*, GOOGLE_*, AZURE_*)"
            )
        if self.engine.kind == "scripted" and not self.engine.script:
            raise ValueError("engine.kind is scripted: set engine.script to a script file")

    def topic(self, name: Literal["rollouts", "groups", "control", "liveness", "engines"]) -> str:
        """Full topic name."""
        return f"{self.log.prefix}.{name}"

    def topics(self) -> dict[str, int]:
        """All topics of the run with their partition counts."""
        return {
            self.topic("rollouts"): self.log.num_partitions,
            self.topic("groups"): self.log.num_partitions,
            self.topic("control"): 1,
            self.topic("liveness"): 1,
            self.topic("engines"): 1,
        }


def load_config(path: Path) -> RunConfig:
    """Read a TOML file. Raises ConfigError naming the file, the field and what it should be.

    Paths inside are made absolute, relative to the file's folder.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no settings file {path}; copy demo.toml from the repository and edit it") from None
    except OSError as error:
        raise ConfigError(f"the settings file {path} cannot be read: {error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    config = _convert(data, str(path))
    base = path.resolve().parent
    return msgspec.structs.replace(
        config,
        episode=_absolute(config.episode, "tasks", base),
        engine=_absolute(config.engine, "script", base),
        router_replay=_absolute(config.router_replay, "directory", base),
        learner=_absolute(_absolute(config.learner, "bc_corpus", base), "init_adapter", base),
    )


def config_from_json(text: str) -> RunConfig:
    """The config of a run_started event. Settings that this version does not know any more are passed over, so that
    the logs of older versions read."""
    known = {name: value for name, value in msgspec.json.decode(text).items() if name in RunConfig.__struct_fields__}
    defaults = RunConfig(run_id="any")
    for name, section in known.items():
        if isinstance(section, dict):
            fields = getattr(defaults, name).__struct_fields__
            known[name] = {field: value for field, value in section.items() if field in fields}
    return _convert(known, "run_started.config")


def config_to_json(config: RunConfig) -> str:
    return msgspec.json.encode(config).decode()


def _convert(data: dict[str, Any], where: str) -> RunConfig:
    try:
        return msgspec.convert(data, RunConfig)
    except (msgspec.ValidationError, ValueError) as error:
        raise ConfigError(f"{where}: {error}{_choices(str(error))}") from None


def _choices(error: str) -> str:
    """What the field that an error names by its path (`$.learner.algorithm`) may be, when it is a choice of words."""
    path = re.search(r"`\$\.([\w.]+)`", error)
    hint: Any = RunConfig
    for name in path.group(1).split(".") if path else []:
        hint = get_type_hints(hint).get(name)
    return f"; choose one of {', '.join(get_args(hint))}" if get_origin(hint) is Literal else ""


def _absolute(section: Any, field: str, base: Path) -> Any:
    value = getattr(section, field)
    return msgspec.structs.replace(section, **{field: str(base / value)}) if value else section
