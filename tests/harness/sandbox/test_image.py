import re
from pathlib import Path

import pytest
from harness.sandbox.boxes import build_once, make_docker
from typer.testing import CliRunner

from trajlog.cli import app
from trajlog.errors import SandboxError
from trajlog.harness.sandbox.container import connect
from trajlog.harness.sandbox.image import (
    CODE,
    build_image,
    contents,
    contents_digest,
    find_image,
    in_box_files,
    pytest_files,
)

HARNESS = Path(__file__).parents[3] / "trajlog" / "harness"


def test_programs_that_the_harness_runs_inside_are_part_of_the_image():
    """What is joined to `sandbox.code` anywhere, and what these programs load beside themselves."""
    sources = [path.read_text() for path in HARNESS.rglob("*.py") if "tasks" not in path.parts]
    named = {name for text in sources for name in re.findall(r"code\s*/\s*\"([\w/]+\.py)\"", text)}
    assert named <= set(in_box_files())
    assert {"workspace.py", "pytest_runner.py", "sandbox/supervisor.py", "debugger/debuggee.py"} <= set(in_box_files())


def test_nothing_of_tasks_or_of_the_host_s_side_is_part_of_the_image():
    for path, text in in_box_files().items():
        assert not path.startswith("tasks/")
        assert b"import trajlog" not in text
        assert b"from trajlog" not in text
    assert not {"grading.py", "rewards.py", "sandbox/container.py"} & set(in_box_files())


def test_pytest_comes_from_this_environment_with_its_metadata():
    names = set(pytest_files())
    assert {"site/pytest/__init__.py", "site/_pytest/main.py", "site/pluggy/__init__.py"} <= names
    assert any(re.fullmatch(r"site/pytest-[\d.]+\.dist-info/METADATA", name) for name in names)
    assert not any(name.endswith(".so") for name in names)


def test_the_digest_tells_any_change_of_name_or_content():
    digests = [contents_digest(files) for files in ({"a": b"1"}, {"a": b"2"}, {"b": b"1"}, {"a": b"", "1": b""})]
    assert len(set(digests)) == 4


@pytest.mark.docker
def test_the_programs_inside_are_these_and_belong_to_root():
    build_once()
    with make_docker() as made:
        text = in_box_files()["sandbox/warden.py"].decode()
        assert contents()[0]["sandbox/warden.py"].decode() == text
        assert made.run(["cat", f"{CODE}/sandbox/warden.py"], kept_output_bytes=10**6).output == text
        listed = made.run(["stat", "-c", "%U %a", f"{CODE}/sandbox/warden.py", CODE]).output
        assert listed == "root 644\nroot 755\n"
        assert made.run(["bash", "-c", f"touch {CODE}/x"]).exit_code != 0


@pytest.mark.docker
def test_the_command_line_builds_it_from_a_base_of_ones_own():
    build_once()
    with make_docker() as made:
        base = made._client.inspect_image(find_image(made._client))["Config"]["Labels"]["trajlog.sandbox.base"]
    done = CliRunner().invoke(app, ["sandbox", "build", "--base", base, "--quiet"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"trajlog-sandbox:{base.replace(':', '-')}-{contents()[1]}")


@pytest.mark.docker
def test_a_base_without_python_is_refused_with_what_it_needs():
    client = connect()
    with pytest.raises(SandboxError, match=r"Its base needs Python 3\.11 or newer and bash"):
        build_image(client, "scratch-of-nothing:none")
    client.close()
