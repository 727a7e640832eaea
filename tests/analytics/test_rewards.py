"""Rewards computed again from the archive of a small run of scripted episodes, played through the real harness."""

import contextlib
import json
import threading

import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from tests.harness.tiny_task import calc_task
from trajlog.analytics.query import connect
from trajlog.analytics.rewards import group_changes, recompute, run_settings, summarize
from trajlog.cli import app
from trajlog.cli_rewards import changed_weights, read_weights
from trajlog.config import ArchiveConfig, EpisodeConfig, GroupConfig, LogConfig, RunConfig, SamplingConfig
from trajlog.errors import ConfigError
from trajlog.harness.rewards import RewardConfig
from trajlog.producers.agent import Assignment, Episode
from trajlog.producers.facts import FactsMissing, episode_reward
from trajlog.producers.tool_calls import FORMATS, Call
from trajlog.schemas import EpisodeFinished, EpisodeStarted, Producer, encode
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.serving.wire import CompletionRequest
from trajlog.stream.archiver import run_archiver
from trajlog.stream.control import start_run
from trajlog.stream.open import open_log

TOKENIZER = load_tokenizer("byte")
READ = Call("read_file", {"path": "calc.py"})
FIX = Call("edit_file", {"path": "calc.py", "old_str": "a - b", "new_str": "a + b"})
WRONG = Call("edit_file", {"path": "calc.py", "old_str": "a - b", "new_str": "a * b"})
COMMENT = Call("edit_file", {"path": "calc.py", "old_str": "# sum", "new_str": "# the sum"})
TEST, DONE, LIST = Call("run_tests"), Call("done"), Call("bash", {"command": "ls"})
PLAYED = {
    "fixed": [READ, FIX, TEST, DONE],
    "fixed blindly": [FIX, DONE],
    "wrong": [READ, WRONG, DONE],
    "comment": [READ, COMMENT, DONE],
    "capped": [READ, WRONG, TEST, TEST, READ, TEST],
    "stalled": [LIST, LIST, LIST, LIST],
    "nothing": [DONE],
    "not JSON": [Call("bash", {}), DONE],
}
CONFIG = RunConfig(
    run_id="small",
    log=LogConfig(num_partitions=2),
    episode=EpisodeConfig(
        turn_limit=6, sandbox="local", tools=("bash", "read_file", "edit_file", "run_tests", "debugger", "done")
    ),
    sampling=SamplingConfig(max_tokens=2000),
    group=GroupConfig(group_size=4, min_group_size=2),
    archive=ArchiveConfig(flush_s=0.05),
    rewards=RewardConfig(localized=0.12),
)


def play(name, calls, append, config=CONFIG):
    form = FORMATS[config.episode.tool_format]
    engine = ScriptedEngine(TOKENIZER, [Script("", tuple(form.render([call]) for call in calls))], names=["m"])

    def sample(prompt, room):
        request = CompletionRequest(
            model="m", prompt=list(prompt.token_ids), max_tokens=room, stop_token_ids=list(TOKENIZER.stop_token_ids)
        )
        return 0, engine.submit(request).result()

    group = "good" if name.startswith("fixed") else "bad"
    assignment = Assignment(config.run_id, group, name, calc_task(debugger="recommended"), 0)
    return Episode(assignment, config, TOKENIZER, Producer("w"), append, sample, policy_version=0).run()


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory):
    """The archive of one run: every episode of PLAYED, one that died, and one as an older version recorded it."""
    folder = tmp_path_factory.mktemp("run")
    rollouts = CONFIG.topic("rollouts")
    with open_log(f"sqlite:///{folder}/log.db", create=True) as log:
        start_run(log, CONFIG, Producer("up"))
        kept = []

        def append(events):
            kept.extend(events)
            log.append(rollouts, encode(events))

        for name, calls in PLAYED.items():
            play(name, calls, append)
        started = next(event for event in kept if isinstance(event, EpisodeStarted))
        finished = next(event for event in kept if isinstance(event, EpisodeFinished))
        producer = Producer("old")
        for name, changes in (
            ("died", {"outcome": "error", "error": "gone", "reward": None, "reward_components": {}}),
            ("old", {"ending": None}),
        ):
            stamps = [producer.stamp("small", group_id="odd", episode_id=name, seq=seq) for seq in (0, 1)]
            pair = [replace(started, **stamps[0]), replace(finished, **stamps[1], **changes)]
            log.append(rollouts, encode(pair))
        hole = producer.stamp("small", group_id="odd", episode_id="hole", seq=2)
        log.append(rollouts, encode([replace(finished, **hole)]))
        stop = threading.Event()
        stop.set()
        run_archiver(log, CONFIG, folder, stop)
    return folder


@pytest.fixture
def con(run_dir):
    with contextlib.closing(connect(run_dir)) as opened:
        yield opened


def by(weights):
    def compute(events):
        try:
            return episode_reward(events, weights)
        except FactsMissing as missing:
            return str(missing)

    return compute


def computed(con, weights=CONFIG.rewards):
    return {row.episode_id: row for row in recompute(con, by(weights))}


def test_the_weights_of_the_run_give_every_logged_reward_exactly(con):
    rows = computed(con, run_settings(con).rewards)
    logged = dict(con.sql("SELECT episode_id, reward_components FROM episodes").fetchall())
    for name in PLAYED:
        row = rows[name]
        assert row.reward == row.logged, name
        assert row.components == logged[name], name
    assert {rows[name].outcome for name in PLAYED} == {"solved", "failed", "turn_cap", "guard"}
    assert rows["wrong"].components["localized"] == 0.12
    assert "changed_code" not in rows["comment"].components


def test_other_weights_change_only_what_they_weigh(con):
    before, after = computed(con), computed(con, replace(CONFIG.rewards, turn_cost=0.0))
    for name in PLAYED:
        gained = after[name].reward - before[name].reward
        assert gained == pytest.approx(-before[name].components["turn_cost"]), name
        assert "turn_cost" not in after[name].components


def test_what_cannot_be_computed_says_why(con):
    rows = computed(con)
    assert {name: row.why_not for name, row in rows.items() if row.why_not} == {
        "died": "error",
        "old": "old_schema",
        "hole": "incomplete",
    }
    assert rows["old"].logged is not None
    assert rows["died"].logged is None


def test_groups_show_changed_signs_and_lost_variance(con):
    rows = list(computed(con).values())
    same = {group.group_id: group for group in group_changes(con, rows, 1e-6)}
    assert set(same) == {"good", "bad"}
    assert (same["good"].num_members, same["good"].sign_changes, same["good"].zero_variance) == (2, 0, False)
    assert same["bad"].reward_std == same["bad"].new_reward_std > 0
    flat = RewardConfig(
        turn_cost=0.0, turn_cap=0.0, guard_exit=0.0, failed_process_cap=0.0, localized=0, changed_code=0,
        inspected_before_edit=0, debugger_fits=0,
    )  # fmt: skip
    flattened = recompute(con, by(flat))
    changes = group_changes(con, flattened, 1e-6)
    assert all(group.new_zero_variance and not group.zero_variance for group in changes)
    assert sum(group.sign_changes for group in changes) == sum(group.num_members for group in changes)
    summary = summarize(flattened, changes)
    assert (summary.episodes, summary.changed, summary.groups) == (len(PLAYED) + 3, len(PLAYED), 2)
    assert (summary.zero_variance, summary.new_zero_variance) == (0, 2)
    assert summary.not_computed == {"error": 1, "incomplete": 1, "old_schema": 1}


def test_usage_by_tool_and_arm(con):
    used = dict(con.sql("SELECT tool, sum(num_calls) FROM tool_usage WHERE episode_id = 'fixed' GROUP BY 1").fetchall())
    assert used == {"read_file": 1, "edit_file": 1, "run_tests": 1, "done": 1}
    arms = "SELECT debugger_arm, debugger, num_episodes, solve_rate, tool_usage['done'] FROM arms ORDER BY num_episodes"
    assert con.sql(arms).fetchall() == [  # "old" and "hole" repeat "fixed", "hole" without its beginning
        ("offered", None, 1, 1.0, 1.0),
        ("offered", "recommended", 9, pytest.approx(3 / 9), pytest.approx(7 / 9)),
    ]


def invoke(*arguments):
    return CliRunner().invoke(app, ["rewards", "recompute", *map(str, arguments)])


def test_the_command_prints_writes_and_never_overwrites(run_dir, tmp_path):
    out = tmp_path / "rewards.parquet"
    done = invoke("--run-dir", run_dir, "--set", "turn_cost=-0.4", "--format", "json", "--out", out)
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    assert printed["weights"]["turn_cost"] == -0.4
    assert printed["weights"]["localized"] == 0.12
    assert printed["summary"]["changed"] == len(PLAYED)
    table = pq.read_table(out)
    assert json.loads(table.schema.metadata[b"weights"]) == printed["weights"]
    rows = {row["episode_id"]: row for row in table.to_pylist()}
    assert {name: row["reward"] for name, row in rows.items()} == {
        row["episode_id"]: row["reward"] for row in printed["episodes"]
    }
    assert dict(rows["wrong"]["components"])["turn_cost"] == pytest.approx(-0.4 * 1.4 * 0.5)
    again = invoke("--run-dir", run_dir, "--out", out)
    assert isinstance(again.exception, ConfigError)
    assert "nothing is ever overwritten" in str(again.exception)


def test_the_table_ends_with_what_the_weights_do(run_dir):
    done = invoke("--run-dir", run_dir)
    assert done.exit_code == 0
    assert "11 episodes: 0 rewards changed; not computed again: 1 error, 1 incomplete, 1 old_schema" in done.stdout
    assert "2 groups: without variance 0 before, 0 after" in done.stdout
    assert "8 advantages: 0 changed sign" in done.stdout


def test_weights_come_from_a_settings_file_and_are_checked(tmp_path):
    settings = tmp_path / "run.toml"
    settings.write_text('run_id = "x"\n[rewards]\nturn_cap = -0.3\nguard_exit = -0.6\n')
    assert read_weights(settings) == RewardConfig(turn_cap=-0.3, guard_exit=-0.6)
    settings.write_text("[rewards]\nturn_capp = -0.3\n")
    with pytest.raises(ConfigError, match=r"turn_capp.*The weights are solved, failing_tests"):
        read_weights(settings)
    settings.write_text('run_id = "x"\n')
    with pytest.raises(ConfigError, match=r"no section \[rewards\]"):
        read_weights(settings)
    for change, said in (
        ("turn_cost", "names no weight"),
        ("cost=1", "names no weight"),
        ("turn_cost=much", "'much' is no number"),
        ("guard_exit=0", "stalling would pay"),
        ("turn_cost=nan", "finite"),
    ):
        with pytest.raises(ConfigError, match=said):
            changed_weights(RewardConfig(), [change])


def test_events_are_never_edited(run_dir, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in (run_dir / "archive").rglob("*") if path.is_file()}
    invoke("--run-dir", run_dir, "--set", "solved=2", "--out", tmp_path / "x.parquet")
    assert {path: path.stat().st_mtime_ns for path in (run_dir / "archive").rglob("*") if path.is_file()} == before
