"""Ranks as processes: rank 0 is the learner's own process, the others are its children, one device each.

    with rank_processes(4, model_path, config) as ranks:     # in the learner's process
        policy = load_base(model_path, config, ranks)        # on device 0
        lead(policy, optimizer, ranks)
        ... Step(..., ranks=ranks) ...

The children run rank_child.py. All are of one host.
"""

import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from trajlog.children import PARENT_VARIABLE
from trajlog.config import RunConfig, config_to_json
from trajlog.errors import ConfigError
from trajlog.learner.following import dismiss, follow
from trajlog.learner.ranks import Ranks
from trajlog.learner.sharding import load_base

START_S = 1800.0
"""Longest that ranks may differ at the start (each reads the base model) and in one step."""

WAIT = timedelta(days=365)
"""Ranks wait for the next message as long as no group comes."""

GRACE_S = 5.0
"""Between a child's early end and this process's, and between a child's SIGTERM and its SIGKILL."""

END_S = 60.0
"""A child that was dismissed is ended after so long."""

POLL_S = 0.5

_logger = logging.getLogger(__name__)


@contextlib.contextmanager
def rank_processes(num_ranks: int, model_path: Path, config: RunConfig) -> Iterator[Ranks]:
    """Rank 0 of `num_ranks`; the others run until the end of the block, or until this process dies.

    When one of them ends too early, this process ends, too, with exit code 1: nothing else wakes it from a sum that
    the other does not take part in, and the next start goes on from the newest checkpoint.
    Raises ConfigError when there are GPUs, but fewer than ranks.
    """
    if num_ranks == 1:
        yield Ranks()
        return
    check_devices(num_ranks)
    over = threading.Event()
    children: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:
        meeting = f"file://{folder}/ranks"
        part = {"size": num_ranks, "meeting": meeting, "model": str(model_path), "config": config_to_json(config)}
        try:
            for rank in range(1, num_ranks):
                children.append(_start({"rank": rank, **part}))
            threading.Thread(target=_watch, args=(children, over), name="rank-watch", daemon=True).start()
            ranks = connect(0, num_ranks, 0, meeting)
            yield ranks
            over.set()
            dismiss(ranks)
            for child in children:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(END_S)
        finally:
            over.set()
            _end(children)
            if dist.is_initialized():
                dist.destroy_process_group()


def _start(part: dict[str, int | str]) -> subprocess.Popen[bytes]:
    """A child that is told its part, in a session of its own: Ctrl-C reaches rank 0 only, which dismisses."""
    child = subprocess.Popen(
        [sys.executable, "-m", "trajlog.learner.rank_child"],
        stdin=subprocess.PIPE,
        env={**os.environ, PARENT_VARIABLE: str(os.getpid())},
        start_new_session=True,
    )
    with contextlib.suppress(BrokenPipeError), child.stdin as stdin:  # one that has ended already is seen by `_watch`
        stdin.write(json.dumps(part).encode())
    return child


def _watch(children: Sequence[subprocess.Popen[bytes]], over: threading.Event) -> None:
    while not over.wait(POLL_S):
        ended = [(rank, code) for rank, child in enumerate(children, 1) if (code := child.poll()) is not None]
        # ranks that fail together leave this one the time to say why
        if ended and not over.wait(GRACE_S):
            _logger.error(
                "rank %d ended with exit code %s, and so does the learner; see what it wrote above", *ended[0]
            )
            os._exit(1)


def _end(children: Sequence[subprocess.Popen[bytes]]) -> None:
    """SIGTERM, then SIGKILL for those that stay; returns when all have ended."""
    for child in children:
        child.terminate()
    for child in children:
        try:
            child.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def check_devices(num_ranks: int) -> None:
    """Raises ConfigError when this host has GPUs, but fewer than ranks."""
    devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if 0 < devices < num_ranks:
        raise ConfigError(
            f"{num_ranks} ranks need as many GPUs, and this host shows {devices}: give --ranks {devices} or fewer, or "
            "widen CUDA_VISIBLE_DEVICES"
        )


def connect(rank: int, size: int, device: int, meeting: str) -> Ranks:
    """Meet the other ranks at a URL of torch.distributed (file://...); `device` is this rank's GPU, if any.

    Raises RuntimeError or torch's DistStoreError when they do not come within START_S.
    """
    limit = timedelta(seconds=START_S)
    if torch.cuda.is_available():
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", meeting, limit, size, rank, device_id=torch.device("cuda", device))
    else:
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2 // size))
        dist.init_process_group("gloo", meeting, limit, size, rank)
    return Ranks(rank, size, dist.group.WORLD, dist.new_group(backend="gloo", timeout=WAIT))


def run_rank(ranks: Ranks, model_path: Path, config: RunConfig) -> None:
    """A rank above 0, from its base model to its dismissal."""
    follow(load_base(model_path, config, ranks), config.learner, ranks)
