from typing import get_type_hints

import msgspec
import pytest

from trajlog.config import LearnerConfig, RunConfig, config_from_json, config_to_json, load_config
from trajlog.errors import ConfigError
from trajlog.harness.guards import GuardConfig
from trajlog.harness.rewards import RewardConfig
from trajlog.producers.tool_calls import FORMATS


def test_settings_survive_the_log():
    config = RunConfig(run_id="a", seed=7)
    assert config_from_json(config_to_json(config)) == config


def test_settings_of_an_older_version_read_without_what_is_gone():
    data = msgspec.json.decode(config_to_json(RunConfig(run_id="old", seed=3)))
    data["gone"] = {"x": 1}
    data["learner"]["gone_too"] = 2
    assert config_from_json(msgspec.json.encode(data).decode()) == RunConfig(run_id="old", seed=3)


def test_a_file_with_an_unknown_field_is_refused(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('run_id = "a"\n[learner]\nlearning_rat = 1.0\n')
    with pytest.raises(ConfigError, match=r"unknown field `learning_rat` - at `\$\.learner`"):
        load_config(path)


def test_weights_and_guards_are_sections_of_the_settings(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('run_id = "a"\n[rewards]\nturn_cost = -0.3\n[guards]\nmax_stalled_calls = 20\n')
    config = load_config(path)
    assert config.rewards == RewardConfig(turn_cost=-0.3)
    assert config.guards == GuardConfig(max_stalled_calls=20)
    assert config_from_json(config_to_json(config)) == config
    for section, wrong in (("rewards", "turn_costs"), ("guards", "max_stall")):
        path.write_text(f'run_id = "a"\n[{section}]\n{wrong} = 3\n')
        with pytest.raises(ConfigError, match=rf"unknown field `{wrong}` - at `\$\.{section}`"):
            load_config(path)


@pytest.mark.parametrize("url", ["/srv/a", "s3://bucket", "s3://bucket/a/", "http://host/a"])
def test_an_archive_url_that_is_no_folder_of_an_object_store_is_refused(tmp_path, url):
    path = tmp_path / "a.toml"
    path.write_text(f'run_id = "a"\n[archive]\nurl = "{url}"\n')
    with pytest.raises(ConfigError, match=r"`\$\.archive\.url`"):
        load_config(path)


def test_formats_that_the_settings_offer_are_those_that_exist():
    for name in FORMATS:
        assert (
            config_from_json(f'{{"run_id": "a", "episode": {{"tool_format": "{name}"}}}}').episode.tool_format == name
        )


def test_paths_are_relative_to_the_file(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('run_id = "a"\n[episode]\ntasks = "tasks"\n')
    config = load_config(path)
    assert config.episode.tasks == str(tmp_path / "tasks")
    assert config.learner.init_adapter == ""


@pytest.mark.parametrize(
    ("section", "fields", "said"),
    [
        ("group", {"group_size": 4, "min_group_size": 5}, r"smallest full group \(4\): lower it"),
        ("group", {"hardware": "cpu", "min_group_size": 3}, r"hardware .cpu. \(2\): lower it, or raise"),
        ("scheduler", {"low_water_groups": 8}, "must be below high_water_groups"),
        ("learner", {"groups_per_step": 9}, "the learner would wait for ever"),
        ("learner", {"groups_per_step": 6}, r"low_water_groups \(4\) is below learner.groups_per_step \(6\) - 1"),
        ("learner", {"groups_per_step": 6}, "with 5 sealed groups left a paused scheduler opens none"),
        ("scheduler", {"low_water_groups": 1}, "set low_water_groups to 3 or more .*, or groups_per_step to 2 or less"),
        ("learner", {"max_tokens_per_microbatch": 100}, "long episodes could not be trained"),
        ("learner", {"bc_coef": 0.1}, "set learner.bc_corpus"),
        ("engine", {"kind": "vllm"}, "set engine.vllm_url"),
        ("engine", {"kind": "vllm", "vllm_url": "http://u:pw@host"}, "vllm_url holds a login"),
        ("archive", {"url": "s3://key:secret@bucket/run"}, "archive.url holds a login"),
        ("archive", {"url": "abfss://box@account.example.net/run?sig=secret"}, "archive.url holds a login"),
        ("engine", {"kind": "scripted"}, "set engine.script"),
        ("learner", {"algorithm": "ppo"}, "choose one of grpo, dr_grpo, weighted_grpo, tis"),
        ("episode", {"tool_format": "xml"}, "choose one of hermes, qwen3_coder, openai"),
        ("episode", {"debugger": "no"}, "choose one of offered, withheld"),
        ("rewards", {"guard_exit": -0.1}, "stalling would pay"),
        ("guards", {"max_cycles": 1}, "max_cycles is 1; it must be at least 2"),
    ],
)
def test_settings_that_contradict_each_other_are_refused_with_what_to_do(section, fields, said):
    data = {"run_id": "a", section: fields}
    with pytest.raises(ConfigError, match=said):
        config_from_json(msgspec.json.encode(data).decode())


def test_attention_and_recompute_that_the_settings_offer_are_those_that_exist():
    from trajlog.kernels.attention import AttentionChoice
    from trajlog.learner.qwen3_moe import Recompute

    offered = get_type_hints(LearnerConfig)
    assert offered["attention"] == AttentionChoice
    assert offered["recompute"] == Recompute


def test_algorithms_that_the_settings_offer_are_those_that_exist():
    from trajlog.learner.algorithms import ALGORITHMS

    for name in ALGORITHMS:
        data = {"run_id": "a", "learner": {"algorithm": name}}
        assert config_from_json(msgspec.json.encode(data).decode()).learner.algorithm == name
