import pytest
from typer.testing import CliRunner

from trajlog.cli import app
from trajlog.config import EpisodeConfig, RunConfig
from trajlog.control_arm import debugger_arm, offered_tools, without_debugger
from trajlog.errors import ConfigError
from trajlog.harness.tools.debug import DEBUGGER_TOOLS

DEBUGGER = tuple(tool.name for tool in DEBUGGER_TOOLS)


def config(*tools, **episode):
    return RunConfig(run_id="study", episode=EpisodeConfig(tools=tools, **episode))


def test_debugger_stands_for_all_of_its_tools_where_it_is_named():
    assert offered_tools(config("bash", "debugger", "done").episode) == ("bash", *DEBUGGER, "done")
    assert offered_tools(config("start_debugger", "done").episode) == ("start_debugger", "done")
    assert offered_tools(config("step_over", "debugger").episode)[0] == "step_over"
    assert len(offered_tools(config("step_over", "debugger").episode)) == len(DEBUGGER)


def test_withheld_takes_out_all_of_them_however_they_were_named():
    for tools in (("bash", "debugger", "done"), ("bash", *DEBUGGER, "done")):
        assert offered_tools(config(*tools, debugger="withheld").episode) == ("bash", "done")


def test_the_arm_is_what_is_really_offered():
    assert debugger_arm(config("bash", "debugger").episode) == "offered"
    assert debugger_arm(config("bash", "debugger", debugger="withheld").episode) == "withheld"
    assert debugger_arm(config("bash").episode) == "withheld"


def test_the_control_arm_is_the_same_run_under_a_name_of_its_own():
    given = config("bash", "debugger", "done")
    control = without_debugger(given)
    assert (control.run_id, control.log.prefix) == ("study-no-debugger", "trajlog-no-debugger")
    assert control.episode.tools == given.episode.tools
    assert control.episode.debugger == "withheld"
    assert (control.learner, control.group, control.seed) == (given.learner, given.group, given.seed)


def test_two_equal_arms_are_refused():
    with pytest.raises(ConfigError, match="offers no debugger that could be withheld: add 'debugger'"):
        without_debugger(config("bash", "done"))


def test_the_roles_that_read_settings_take_the_flag(tmp_path):
    settings = tmp_path / "run.toml"
    settings.write_text('run_id = "plain"\n')
    for command in (
        ["up", str(settings), "--run-dir", str(tmp_path / "run"), "--no-debugger"],
        ["demonstrations", str(settings), "--out", str(tmp_path / "d"), "--no-debugger"],
        ["scheduler", "--log", f"sqlite:///{tmp_path}/log.db", "--config", str(settings), "--no-debugger"],
    ):
        done = CliRunner().invoke(app, command)
        assert isinstance(done.exception, ConfigError), command
        assert "offers no debugger" in str(done.exception)
    done = CliRunner().invoke(app, ["scheduler", "--log", f"sqlite:///{tmp_path}/log.db", "--no-debugger"])
    assert "name them with --config" in str(done.exception)
