"""`make demo` for real: the small model, real bugs, two GRPO steps; then what a user does with the run."""

import hashlib
import json

import pytest

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(2000)]
SQL = ".venv/bin/trajlog sql --format json"


def test_the_demo_trains_two_steps_and_archives_everything(demo):
    summary = json.loads((demo.path / "runs/demo/summary.json").read_text())
    assert summary["train_steps"] == 2
    assert summary["policy_version"] == 2
    assert summary["groups_sealed"] >= 4
    assert summary["episodes"] >= 4 * summary["groups_sealed"] - summary["groups_sealed"]
    assert summary["archived_rows"] >= summary["log_records"] > 0
    assert set(summary) == {
        "run_id",
        "episodes",
        "groups_sealed",
        "groups_rejected",
        "train_steps",
        "policy_version",
        "archived_rows",
        "log_records",
        "seconds",
    }
    shown = (demo.path / "demo.out").read_text()
    for said in ("demonstrations", "outcome", "summary.json", "trajlog sql", "trajlog replay sft", "trajlog tail"):
        assert said in shown


def test_the_engine_served_and_acknowledged_every_version(demo):
    rows = demo.json(f"{SQL} 'SELECT policy_version, num_engines FROM policies ORDER BY 1'")
    assert [row["policy_version"] for row in rows] == [0, 1, 2]
    assert all(row["num_engines"] for row in rows)


def test_every_finished_episode_of_a_closed_group_has_one_verdict(demo):
    (row,) = demo.json(
        f"{SQL} \"SELECT count(*) AS n, count(DISTINCT episode_id) AS d FROM events WHERE kind = 'episode_verdict'\""
    )
    assert row["n"] == row["d"] > 0


def test_trained_adapters_moved(demo):
    checkpoints = sorted((demo.path / "runs/demo/checkpoints").iterdir())
    digests = {hashlib.sha256((c / "adapter/adapter_model.safetensors").read_bytes()).hexdigest() for c in checkpoints}
    assert len(digests) == len(checkpoints) >= 2


def test_replay_gives_the_same_bytes_each_time(demo):
    for name in ("one", "two"):
        done = demo.run(f".venv/bin/trajlog replay sft --out runs/demo/{name}")
        assert done.returncode == 0, done.stderr
    files = sorted(path.name for path in (demo.path / "runs/demo/one").iterdir())
    assert files == sorted(path.name for path in (demo.path / "runs/demo/two").iterdir())
    for name in files:
        one, two = ((demo.path / "runs/demo" / folder / name).read_bytes() for folder in ("one", "two"))
        assert one == two
    rows = [json.loads(line) for line in (demo.path / "runs/demo/one/corpus.jsonl").read_text().splitlines()]
    (solved,) = demo.json(f"{SQL} \"SELECT count(*) AS n FROM episodes WHERE outcome = 'solved'\"")
    assert len(rows) == solved["n"] > 0
    for row in rows:
        assert len(row["token_ids"]) == len(row["assistant_masks"])
        assert row["messages"][0]["role"] == "system"


def test_the_same_command_again_finds_all_done(demo):
    before = (demo.path / "runs/demo/log.db").stat().st_size
    done = demo.run(".venv/bin/trajlog up demo.toml", timeout_s=300)
    assert done.returncode == 0, done.stderr
    assert json.loads((demo.path / "runs/demo/summary.json").read_text())["train_steps"] == 2
    assert (demo.path / "runs/demo/log.db").stat().st_size < before * 1.5


@pytest.mark.kafka
def test_the_same_pass_on_kafka(demo, kafka_broker, kafka_prefix):
    settings = (demo.path / "demo.toml").read_text()
    settings = settings.replace("[log]\n", f'[log]\nprefix = "{kafka_prefix}"\n').replace('"demo"', '"kafka"', 1)
    (demo.path / "kafka.toml").write_text(settings)
    demo.run("mkdir -p runs/kafka && cp -r runs/demo/demonstrations runs/kafka/")
    done = demo.run(f".venv/bin/trajlog up kafka.toml --log {kafka_broker.url}", timeout_s=1200)
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    summary = json.loads((demo.path / "runs/kafka/summary.json").read_text())
    assert (summary["train_steps"], summary["policy_version"]) == (2, 2)
    verified = demo.run(
        f".venv/bin/trajlog archive verify --run-dir runs/kafka --log {kafka_broker.url} --prefix {kafka_prefix}"
    )
    assert verified.returncode == 0, verified.stdout
