"""Many slots of one worker: sandboxes side by side in threads, without mixing files, output or file descriptors."""

import os
from concurrent.futures import ThreadPoolExecutor

from harness.tiny_task import CALC

from trajlog.harness.grading import grade
from trajlog.harness.sandbox import LocalSandbox


def test_commands_of_eight_threads_do_not_mix():
    def work(number: int) -> list[str]:
        with LocalSandbox({"name": str(number).encode()}) as sandbox:
            return [sandbox.run(["bash", "-c", "cat name; ls /proc/self/fd | wc -l"]).output for _ in range(5)]

    before = len(os.listdir("/proc/self/fd"))
    with ThreadPoolExecutor(8) as pool:
        outputs = list(pool.map(work, range(16)))
    assert outputs == [[f"{number}4\n"] * 5 for number in range(16)]
    assert len(os.listdir("/proc/self/fd")) == before


def test_grades_made_at_once_are_right():
    with ThreadPoolExecutor(4) as pool:
        verdicts = list(pool.map(lambda files: grade(CALC, files).solved, [{}, CALC.solution] * 4))
    assert verdicts == [False, True] * 4
