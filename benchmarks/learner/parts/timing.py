"""Seconds and memory of a step: warmed up, synchronised, the median of the repeats."""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

GIB = 2**30


@dataclass(frozen=True)
class Timing:
    median_s: float
    all_s: tuple[float, ...]
    peak_gib: float
    """Most that tensors held at once; 0 on the CPU."""


def timed(step: Callable[[], object], repeats: int = 3, warmup: int = 1) -> Timing:
    """Wall time from an idle device to an idle device."""
    for _ in range(warmup):
        step()
    synchronise()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        step()
        synchronise()
        seconds.append(time.perf_counter() - start)
    peak = torch.cuda.max_memory_allocated() / GIB if torch.cuda.is_available() else 0.0
    return Timing(statistics.median(seconds), tuple(seconds), peak)


def synchronise() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def release() -> None:
    """Gives freed memory back, so that the next side's peak is its own."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
