"""Ranks as processes: rank 0 is the learner's own process, the others are its children, one device each.

    with rank_processes(4, model_path, config) as ranks:     # in the learner's process
        policy = PolicyModel.of_run(model_path, config)      # on device 0
        lead(policy, optimizer, config.learner, ranks)
        ... Step(..., ranks=ranks) ...

Started by torchrun instead, on one host or several, every process calls `connect` with what RANK, WORLD_SIZE and
LOCAL_RANK say and "env://"; those of a rank above 0 then `run_rank`.
"""

import contextlib
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

import torch
import torch.distributed as dist
from torch import multiprocessing

from trajlog.config import RunConfig, config_from_json, config_to_json
from trajlog.errors import ConfigError
from trajlog.learner.following import dismiss, follow
from trajlog.learner.policy import PolicyModel
from trajlog.learner.ranks import Ranks

START_S = 1800.0
"""Longest that ranks may differ at the start (each reads the base model) and in one step."""

WAIT = timedelta(days=365)
"""Ranks wait for the next message as long as no group comes."""

GRACE_S = 5.0
"""Between a child's early end and this process's."""

END_S = 60.0
"""A child that was dismissed is ended after so long."""

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
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        meeting = f"file://{folder}/ranks"
        arguments = (num_ranks, meeting, model_path, config_to_json(config), os.getpid())
        children = [context.Process(target=_child, args=(rank, *arguments)) for rank in range(1, num_ranks)]
        for child in children:
            child.daemon = True
            child.start()
        over = threading.Event()
        threading.Thread(target=_watch, args=(children, over), name="rank-watch", daemon=True).start()
        try:
            ranks = connect(0, num_ranks, 0, meeting)
            yield ranks
            over.set()
            dismiss(ranks)
            for child in children:
                child.join(END_S)
        finally:
            over.set()
            for child in children:
                child.terminate()
            if dist.is_initialized():
                dist.destroy_process_group()


def _watch(children: Sequence[SpawnProcess], over: threading.Event) -> None:
    while not over.is_set():
        wait([child.sentinel for child in children], timeout=1.0)
        ended = [(rank, child.exitcode) for rank, child in enumerate(children, 1) if child.exitcode is not None]
        # ranks that fail together leave this one the time to say why
        if ended and not over.wait(GRACE_S):
            _logger.error(
                "rank %d ended with exit code %s, and so does the learner; see what it wrote above", *ended[0]
            )
            os._exit(1)


def check_devices(num_ranks: int) -> None:
    """Raises ConfigError when this host has GPUs, but fewer than ranks."""
    devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if 0 < devices < num_ranks:
        raise ConfigError(
            f"{num_ranks} ranks need as many GPUs, and this host shows {devices}: give --ranks {devices} or fewer, or "
            "widen CUDA_VISIBLE_DEVICES"
        )


def connect(rank: int, size: int, device: int, meeting: str) -> Ranks:
    """Meet the other ranks at a URL of torch.distributed (file://..., env://); `device` is this rank's GPU, if any.

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
    follow(PolicyModel.of_run(model_path, config), config.learner, ranks)


def _child(rank: int, size: int, meeting: str, model_path: Path, config: str, parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; rank 0 dismisses
    try:
        run_rank(connect(rank, size, rank, meeting), model_path, config_from_json(config))
    except RuntimeError:
        if os.getppid() == parent:
            raise
        sys.exit(1)  # rank 0 has died, and has said why where somebody reads it
    dist.destroy_process_group()
