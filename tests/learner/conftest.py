"""A small learner's log and settings, and what three steps of it make when nobody interferes."""

import pytest
import torch

from tests.learner.learner_process import make_config, make_log
from tests.learner.lives import check, fill, run


@pytest.fixture(scope="module")
def one_thread():
    """Sums are rounded in the order of the threads: digests are compared between processes, so all use one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def config():
    return make_config(max_steps=3)


@pytest.fixture
def log(tmp_path, config):
    with make_log(tmp_path, config) as log:
        yield log


@pytest.fixture(scope="module")
def baseline(tmp_path_factory, one_thread):
    """Digests of every version of a run that nobody killed."""
    path, config = tmp_path_factory.mktemp("baseline"), make_config(max_steps=3)
    with make_log(path, config) as log:
        fill(log, config)
        assert run(log, config, path / "learner")
        return [e.sha256 for e in check(log, config)]
