"""One demo run, made once and read by several tests: a copy of the checkout in which the README's commands are run."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEMO_WITHIN_S = 1500


class Checkout:
    """A copy of the checkout with its environment; `run` runs a command line in it as a reader of the README would."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, command: str, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command], cwd=self.path, capture_output=True, text=True, timeout=timeout_s, check=False
        )

    def json(self, command: str) -> object:
        done = self.run(command)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def copy_checkout(path: Path) -> Checkout:
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    (path / ".venv").symlink_to(ROOT / ".venv")
    return Checkout(path)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout in which `make demo` has run to its end."""
    checkout = copy_checkout(tmp_path_factory.mktemp("demo"))
    done = checkout.run("make demo", timeout_s=DEMO_WITHIN_S)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    (checkout.path / "demo.out").write_text(done.stdout)
    return checkout
