import time

import pytest

from trajlog.children import Child
from trajlog.config import LogConfig, RunConfig
from trajlog.schemas import Producer
from trajlog.stream.control import start_run
from trajlog.stream.open import open_log
from trajlog.stream.verify import verify


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0.0, 0.1, 0.5])
def test_an_archiver_stopped_while_it_starts_still_archives_all(tmp_path, after_s):
    url = f"sqlite:///{tmp_path / 'log.db'}"
    run = RunConfig(run_id="r", log=LogConfig(prefix="p"))
    with open_log(url, create=True) as log:
        start_run(log, run, Producer("up"))
    child = Child(
        "archiver", ["archiver", "--log", url, "--prefix", "p", "--run-dir", str(tmp_path)], tmp_path / "logs"
    )
    child.start()
    time.sleep(after_s)  # the point of the test: an instant, not a state
    child.stop(grace_s=120)
    assert child.exit_code == 0, child.last_lines()
    with open_log(url) as log:
        report = verify(log, run, tmp_path)
    assert report.log_records > 0
    assert report.ok, report
