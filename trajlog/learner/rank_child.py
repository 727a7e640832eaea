"""The program of a rank above 0 that rank 0 starts (rank_processes.py): `python -m trajlog.learner.rank_child`.

Standard input is one JSON object, the arguments of `main`. Exit code 0 after the dismissal, else 1.
"""

import json
import os
import signal
import sys
from pathlib import Path

import torch.distributed as dist

from trajlog.children import PARENT_VARIABLE, end_with_parent
from trajlog.config import config_from_json
from trajlog.errors import TrajlogError
from trajlog.learner.rank_processes import connect, run_rank


def main(rank: int, size: int, meeting: str, model: str, config: str) -> None:
    """`meeting` is a URL of torch.distributed, `model` the base model's folder, `config` the run's settings as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # sent to every process of a job, it means rank 0, which dismisses
    end_with_parent(lambda: os._exit(1))  # a rank above 0 has nothing to save
    try:
        run_rank(connect(rank, size, rank, meeting), Path(model), config_from_json(config))
    except TrajlogError as error:
        sys.exit(f"error: rank {rank}: {error}")
    except RuntimeError:
        if os.getppid() == int(os.environ[PARENT_VARIABLE]):
            raise
        sys.exit(1)  # rank 0 has died, and has said why where somebody reads it
    dist.destroy_process_group()


if __name__ == "__main__":
    main(**json.load(sys.stdin))
