"""Runs an archiver in a process of its own, to be killed.

Usage: python -m tests.stream.archiver_process URL RUN_DIR [PREFIX]
"""

import sys
import threading
from pathlib import Path

from tests.stream.archive_events import run_config
from trajlog.stream.archiver import run_archiver
from trajlog.stream.open import open_log

if __name__ == "__main__":
    with open_log(sys.argv[1]) as log:
        config = run_config((sys.argv[3:] or ["t"])[0], flush_s=0.01, compact_every_commits=5)
        run_archiver(log, config, Path(sys.argv[2]), threading.Event())
