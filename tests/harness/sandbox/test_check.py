import json

import pytest
from harness.sandbox.boxes import build_once
from typer.testing import CliRunner

from trajlog.cli import app

LIMITS = {"memory limit", "process limit", "file size limit", "disk limit", "CPU time limit", "output limit"}
WALLS = {"network", "files outside", "processes outside", "root file system", "privileges", "ending the whole sandbox"}


def check(*options):
    done = CliRunner().invoke(app, ["sandbox", "check", *options])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_local_sandbox_is_said_to_hold_limits_and_no_walls(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    found = json.loads(check("--json"))
    assert found["kinds"] == ["local"]
    held = {row["title"] for row in found["rows"] if row["answers"]["local"]["held"]}
    assert held >= LIMITS | {"deadline, signals ignored", "survivors (setsid, env -i)", "killing the supervisor"}
    assert not held & {"network", "files outside", "processes outside"}
    assert found["choice"] == "local"
    assert any("no Docker engine answers at" in note for note in found["notes"])


@pytest.mark.docker
def test_containers_are_found_to_hold_everything():
    build_once()
    found = json.loads(check("--json"))
    assert found["kinds"] == ["docker", "local"]
    assert [row["title"] for row in found["rows"] if not row["answers"]["docker"]["held"]] == []
    assert {row["title"] for row in found["rows"]} >= LIMITS | WALLS
    assert found["choice"] == "docker"
