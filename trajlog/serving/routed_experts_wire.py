"""Routed experts in an engine's answer, in each form that vLLM documents for /v1/completions.

    choice.routed_experts   base64 of a .npy file [positions, layers, K], uint8, uint16 or int32: vLLM from 0.22 on, and
                            trajlog's own server
    the same, and           nested lists [T, layers, K] and [P, layers, K]: vLLM 0.21
    answer.prompt_routed_experts

Positions are those of P prompt tokens and T generated ones but the last, which no call has fed yet. A request's
`routed_experts_prompt_start` asks the server to leave out that many at the front; vLLM before August 2026 never does.

Where vLLM kept no routing it has stand-ins: -1 for positions out of the prefix cache (0.21), one number alone where a
buffer was not filled, in all layers or in some. They make the routing unusable. With prefill and decode on different
servers it gives rows of other requests, which nothing here can tell: do not replay those.
"""

import ast
import base64
import binascii
import struct
from array import array
from collections.abc import Mapping
from itertools import chain, combinations
from operator import eq
from typing import Any

import msgspec

from trajlog.serving.routed_experts import RoutedExperts

_MAGIC = b"\x93NUMPY\x01\x00"
_DESCR = {"U8": "|u1", "I16": "<i2"}
_TYPECODES = {"|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i"}
_MOST_EXPERTS = 2**15
_Rows = list[list[list[int]]]


class UnusableRouting(ValueError):
    """The answer holds routing, but not of every position that was asked for; the message says what is wrong."""


def encode_routed_experts(routed: RoutedExperts) -> str:
    """Base64 of a .npy file (format 1.0, numpy.lib.format)."""
    header = repr({"descr": _DESCR[routed.dtype], "fortran_order": False, "shape": routed.shape}).encode()
    header += b" " * (-(len(_MAGIC) + 2 + len(header) + 1) % 64) + b"\n"
    return base64.b64encode(_MAGIC + struct.pack("<H", len(header)) + header + routed.data).decode()


def read_routed_experts(
    answer: Mapping[str, Any], choice: Mapping[str, Any], prompt_tokens: int, generated: int, start: int
) -> RoutedExperts | None:
    """Rows of positions start..prompt_tokens + generated - 2; None where the answer has no routing at all.

    `start` is the request's `routed_experts_prompt_start`; a server that does not know it sends all, which is as good.
    One byte an expert where the numbers fit, however the answer has them, else int16. Raises UnusableRouting.
    """
    given, end = choice.get("routed_experts"), prompt_tokens + generated - 1
    if given is None:
        return None
    if isinstance(given, str):
        routed = _of_npy(given, start, end)
    else:
        routed = _of_lists(answer.get("prompt_routed_experts"), given, prompt_tokens, start, end)
    _check_rows(routed, start)
    return routed


def _of_npy(text: str, start: int, end: int) -> RoutedExperts:
    try:
        content = base64.b64decode(text, validate=True)
        if not content.startswith(_MAGIC):
            raise ValueError("not a .npy file of format 1.0")
        (size,) = struct.unpack_from("<H", content, len(_MAGIC))
        begin = len(_MAGIC) + 2 + size
        header = ast.literal_eval(content[begin - size : begin].decode("latin-1").strip())
        count, layers, chosen = header["shape"]
        code = _TYPECODES[header["descr"]]
        if header["fortran_order"] or len(content) - begin != count * layers * chosen * array(code).itemsize:
            raise ValueError(f"{len(content) - begin} bytes for {header}")
    except (binascii.Error, struct.error, ValueError, SyntaxError, KeyError, TypeError) as error:
        raise UnusableRouting(f"routed_experts is no array [positions, layers, K]: {error!r}") from error
    if count not in (end - start, end):
        raise UnusableRouting(f"routed_experts has {count} rows; positions {start} to {end - 1} were asked for")
    row = layers * chosen * array(code).itemsize
    return _packed(content[begin + (count - (end - start)) * row :], code, (end - start, layers, chosen))


def _of_lists(prompt: Any, generated: Any, prompt_tokens: int, start: int, end: int) -> RoutedExperts:
    try:
        fed = msgspec.convert(prompt, _Rows), msgspec.convert(generated, _Rows)
    except msgspec.ValidationError as error:
        raise UnusableRouting(f"routed_experts is neither text nor lists with the prompt's: {error}") from error
    if len(fed[0]) != prompt_tokens or len(fed[1]) < end - prompt_tokens:
        raise UnusableRouting(
            f"prompt_routed_experts and routed_experts have {len(fed[0])} and {len(fed[1])} rows for "
            f"{prompt_tokens} and {end - prompt_tokens} positions"
        )
    rows = [*fed[0], *fed[1]][start:end]
    shape = (len(rows), len(rows[0]), len(rows[0][0])) if rows and rows[0] else (0, 0, 0)
    if any(len(row) != shape[1] or any(len(layer) != shape[2] for layer in row) for row in rows):
        raise UnusableRouting("routed_experts has rows of different lengths")
    try:
        numbers = array("i", chain.from_iterable(chain.from_iterable(rows)))
    except OverflowError as error:
        raise UnusableRouting(f"routed_experts holds a number that is no expert's: {error}") from error
    return _packed(numbers.tobytes(), "i", shape)


def _packed(content: bytes, code: str, shape: tuple[int, int, int]) -> RoutedExperts:
    numbers = array(code, content)
    high_bytes = (content[i :: numbers.itemsize] for i in range(1, numbers.itemsize))
    if all(part.count(0) == len(numbers) for part in high_bytes):
        return RoutedExperts(shape, "U8", content[:: numbers.itemsize])
    if min(numbers) < 0 or max(numbers) >= _MOST_EXPERTS:
        raise UnusableRouting(
            f"routed_experts holds numbers from {min(numbers)} to {max(numbers)}: of some positions the routing was "
            f"not kept (prefix cache, preemption)"
        )
    return RoutedExperts(shape, "I16", array("h", numbers).tobytes())


def _check_rows(routed: RoutedExperts, start: int) -> None:
    """The K experts of a layer are different ones: an expert named twice stands for a routing that was not kept."""
    _, layers, chosen = routed.shape
    numbers = routed.data if routed.dtype == "U8" else array("h", routed.data)
    columns = [numbers[place::chosen] for place in range(chosen)]
    for one, other in combinations(columns, 2):
        if any(map(eq, one, other)):
            position = start + next(row for row, same in enumerate(map(eq, one, other)) if same) // layers
            raise UnusableRouting(
                f"routed_experts names one expert twice at position {position}: its routing was not kept"
            )
