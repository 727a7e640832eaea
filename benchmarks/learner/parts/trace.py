"""Where the time of a profiled step went: kernels by class. Pure: a profiler's trace in, seconds out.

A kernel belongs to the named range (`head`, `optimizer`) in which the host launched it, otherwise to a class by its
name. Time between kernels is `idle`. A kernel that no rule knows is `other`: the accounted share leaves it out.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

RANGES = ("head", "optimizer")
CLASSES = (
    ("attention", r"flash|fmha|sdpa|cudnn|attention|sm90_.*fprop|sm90_.*bprop|mha"),
    ("grouped GEMM", r"GroupProblemShape|grouped|prepare_grouped|group_gemm"),
    ("dense GEMM", r"nvjet|gemm|cutlass|cublas|xmma|splitK|splitk|::mm$|addmm|::bmm|linear|matmul"),
    (
        "element-wise",
        r"^_[a-z]\w*$|at::native|cub::|elementwise|vectorized|reduce|index|[sS]ort|"
        r"[rR]adix|[tT]op[kK]|[sS]can|[sS]oft[mM]ax|gather|scatter|fill|Mem(cpy|set)|CatArray|copy|aten::",
    ),
)
_KERNELS = {"kernel", "gpu_memcpy", "gpu_memset"}
_LAUNCHES = {"cuda_runtime", "cuda_driver"}


@dataclass(frozen=True)
class Accounts:
    """Seconds by class (`idle` and `other` among them), which sum to `span_s`, and the kernels behind them."""

    span_s: float
    by_class: dict[str, float]
    kernels: list[tuple[str, str, float, int]]
    """(class, name, seconds, launches), dearest first."""

    @property
    def accounted(self) -> float:
        """Share of the step's time that is in a known class."""
        known = sum(s for name, s in self.by_class.items() if name not in ("idle", "other"))
        return known / self.span_s


def kernel_class(name: str) -> str:
    """
    >>> kernel_class("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT"), kernel_class("_combine"), kernel_class("what")
    ('dense GEMM', 'element-wise', 'other')
    """
    return next((title for title, pattern in CLASSES if re.search(pattern, name)), "other")


def accounts_of_trace(events: Iterable[dict[str, Any]]) -> Accounts:
    """From the `traceEvents` of a Chrome trace of torch's profiler (times in microseconds), one device, one stream.

    The span runs from the first kernel's start to the last one's end. Raises ValueError for a trace without kernels.
    """
    launches, ranges, kernels = {}, [], []
    for event in events:
        category = event.get("cat")
        if category in _LAUNCHES and "correlation" in event.get("args", {}):
            launches[event["args"]["correlation"]] = event["ts"]
        elif category == "user_annotation" and event["name"] in RANGES:
            ranges.append((event["ts"], event["ts"] + event["dur"], event["name"]))
        elif category in _KERNELS:
            kernels.append(event)
    if not kernels:
        raise ValueError("the trace holds no kernels: was the profiler started with CUDA activity?")
    ranges.sort()
    kernels.sort(key=lambda k: k["ts"])
    start = end = kernels[0]["ts"]
    seconds: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0])
    busy = 0.0
    for kernel in kernels:
        stop = kernel["ts"] + kernel["dur"]
        alone = max(0.0, stop - max(end, kernel["ts"]))
        launched = launches.get(kernel.get("args", {}).get("correlation"))
        title = _range_at(ranges, launched) or kernel_class(kernel["name"])
        entry = seconds[title, kernel["name"]]
        entry[0] += alone / 1e6
        entry[1] += 1
        busy += alone / 1e6
        end = max(end, stop)
    span = (end - start) / 1e6
    return _accounts(span, seconds, span - busy)


def accounts_of_operators(operators: Iterable[tuple[str, float, int]]) -> Accounts:
    """From (name, seconds of its own, calls) of a run without a device: the same classes by operator name."""
    seconds: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0])
    for name, own, calls in operators:
        seconds[kernel_class(name), name][0] += own
        seconds[kernel_class(name), name][1] += calls
    return _accounts(sum(s for s, _ in seconds.values()), seconds, 0.0)


def _accounts(span: float, seconds: dict[tuple[str, str], list[float]], idle: float) -> Accounts:
    by_class: dict[str, float] = defaultdict(float)
    for (title, _), (own, _) in seconds.items():
        by_class[title] += own
    by_class["idle"] += idle
    kernels = [(title, name, own, int(count)) for (title, name), (own, count) in seconds.items()]
    return Accounts(span, dict(by_class), sorted(kernels, key=lambda k: -k[2]))


def _range_at(ranges: list[tuple[float, float, str]], time: float | None) -> str | None:
    if time is None or not ranges:
        return None
    index = bisect_right(ranges, time, key=lambda r: r[0]) - 1
    return ranges[index][2] if index >= 0 and time <= ranges[index][1] else None
