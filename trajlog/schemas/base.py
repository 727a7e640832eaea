"""What every event has: the envelope, its validation, and the derivation of Arrow types from annotations.

An event is a frozen struct. Its annotations are the single source of three things: the check at creation, the
Arrow schema, and the archive's columns. Ids and clocks are set by `Producer.stamp` once; decoding invents none.
"""

import math
import os
import re
import secrets
import threading
import time
import types
from array import array
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import pyarrow as pa

from trajlog.errors import InvalidEvent

Topic = Literal["rollouts", "groups", "control", "liveness"]

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1, extra={"arrow": "int32"})]
Index = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1, extra={"arrow": "int32"})]
"""Zero-based position or small count, int32."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""Count, offset, version, epoch or step, int64."""
Float32 = Annotated[float, msgspec.Meta(extra={"arrow": "float32"})]
"""Rounded to the nearest float32 at creation, so that the stored value is the event's value."""
Seconds = Annotated[float, msgspec.Meta(ge=0)]
MAX_REWARD = 1e9
Reward = Annotated[float, msgspec.Meta(ge=-MAX_REWARD, le=MAX_REWARD)]
"""Far beyond any reward that is meant; sums and squares of a group's rewards stay finite."""
Uuid7 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=512)]
UtcTime = Annotated[datetime, msgspec.Meta(tz=True)]
Json = Annotated[str, msgspec.Meta(extra={"json": True})]
"""Text that must parse as JSON. Tool arguments are not of this type: they are kept as sampled."""

_NARROW: dict[str, pa.DataType] = {"int32": pa.int32(), "float32": pa.float32()}
_ARROW: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.binary(),
    datetime: pa.timestamp("us", tz="UTC"),
}


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Envelope of every kind. Subclasses set `kind`, `version`, `topic` and add their fields."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1
    topic: ClassVar[Topic]

    event_id: Uuid7
    """UUIDv7, set once by the producer."""
    run_id: Name
    group_id: Name | None = None
    episode_id: Name | None = None
    seq: Count | None = None
    """Position in the episode, 0.. without gaps; None outside `.rollouts`."""
    emitted_at: UtcTime
    """Producer's clock, UTC, microseconds. Informative: order is by seq and offset."""
    producer: Name
    """`<id>/<incarnation>` of the process that emitted it."""
    raw: dict[str, bytes] | None = None
    """Original bytes (UTF-8 with surrogates passed) of text fields that were not valid Unicode."""

    def __post_init__(self) -> None:
        raw = dict(self.raw or {})
        for field in _fields(type(self)):
            value = getattr(self, field.name)
            checked = field.check(self.kind, value, raw)
            if checked is not value:
                msgspec.structs.force_setattr(self, field.name, checked)
        if raw != (self.raw or {}):
            msgspec.structs.force_setattr(self, "raw", raw)
        try:
            self.check()
        except ValueError as error:
            raise InvalidEvent(f"{self.kind} refused: {error}") from None

    def check(self) -> None:
        """Rules across fields; raises ValueError naming the fields and values."""

    def key(self) -> bytes:
        """Log key: group for rollouts and groups, run for control, producer for liveness."""
        match self.topic:
            case "control":
                return self.run_id.encode()
            case "liveness":
                return self.producer.encode()
            case _:
                if self.group_id is None:
                    raise InvalidEvent(f"{self.kind} refused: group_id is None, but it is the key of .{self.topic}")
                return self.group_id.encode()


class Producer:
    """Stamps envelopes for one process: fixed id and incarnation, fresh event ids, the clock. Thread-safe."""

    def __init__(self, producer_id: str, incarnation: str | None = None) -> None:
        self.id = producer_id
        self.incarnation = incarnation or secrets.token_hex(4)

    def stamp(
        self,
        run_id: str,
        *,
        group_id: str | None = None,
        episode_id: str | None = None,
        seq: int | None = None,
    ) -> dict[str, Any]:
        """Envelope fields as keyword arguments: `ToolCall(**producer.stamp(run_id, ...), turn=0, ...)`."""
        return {
            "event_id": new_id(),
            "run_id": run_id,
            "group_id": group_id,
            "episode_id": episode_id,
            "seq": seq,
            "emitted_at": datetime.now(UTC),
            "producer": f"{self.id}/{self.incarnation}",
        }


_last_id = (0, 0)
_id_lock = threading.Lock()


def new_id() -> str:
    """A UUIDv7 (RFC 9562): milliseconds, then a counter that rises within one, then random bits."""
    global _last_id
    with _id_lock:
        now = time.time_ns() // 1_000_000
        millis, counter = _last_id
        millis, counter = (now, 0) if now > millis else (millis, counter + 1)
        if counter > 0xFFF:
            millis, counter = millis + 1, 0
        _last_id = (millis, counter)
    tail = int.from_bytes(os.urandom(8)) & ((1 << 62) - 1) | (0b10 << 62)
    hexa = f"{millis:012x}7{counter:03x}{tail:016x}"
    return f"{hexa[:8]}-{hexa[8:12]}-{hexa[12:16]}-{hexa[16:20]}-{hexa[20:]}"


@cache
def arrow_schema(cls: type[Event]) -> pa.Schema:
    """Arrow schema of a kind in field order. A column is nullable exactly where its annotation allows None."""
    return pa.schema([pa.field(f.name, f.arrow, nullable=f.optional) for f in _fields(cls)])


class _Field:
    """One field of a kind: its Arrow type and its check at creation."""

    def __init__(self, name: str, hint: Any) -> None:
        self.name = name
        self.hint = hint
        self.base, self.optional = _strip_optional(hint)
        self.arrow = arrow_type(self.base)
        self.plain, self.extra = _strip_annotated(self.base)
        self._prepare = _preparation(self.base)

    def check(self, kind: str, value: Any, raw: dict[str, bytes]) -> Any:
        if value is None and self.optional:
            return None
        if isinstance(value, str):
            value = _clean_text(self.name, value, raw)
        try:
            value = msgspec.convert(value, self.base)
            if self.extra.get("json"):
                msgspec.json.decode(value.encode())
            return self._prepare(value) if self._prepare else value
        except (msgspec.ValidationError, msgspec.DecodeError, ValueError, OverflowError) as error:
            shown = repr(value)
            shown = shown if len(shown) <= 200 else f"{shown[:200]}... ({len(shown)} characters)"
            raise InvalidEvent(f"{kind}.{self.name} refused: {error}; the value is {shown}") from None


@cache
def _fields(cls: type[Event]) -> tuple[_Field, ...]:
    hints = get_type_hints(cls, include_extras=True)
    return tuple(_Field(f.name, hints[f.name]) for f in msgspec.structs.fields(cls))


def arrow_type(hint: Any) -> pa.DataType:
    """Arrow type of an annotation: scalars, `tuple[X, ...]` as list, `dict[str, X]` as map, structs as struct."""
    plain, extra = _strip_annotated(hint)
    if "arrow" in extra:
        return _NARROW[extra["arrow"]]
    if plain in _ARROW:
        return _ARROW[plain]
    origin, args = get_origin(plain), get_args(plain)
    if origin is Literal:
        return pa.string()
    if origin is tuple:
        item, optional = _strip_optional(args[0])
        return pa.list_(pa.field("item", arrow_type(item), nullable=optional))
    if origin is dict:
        return pa.map_(arrow_type(args[0]), arrow_type(args[1]))
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        hints = get_type_hints(plain, include_extras=True)
        return pa.struct(
            [
                pa.field(f.name, arrow_type(item), nullable=optional)
                for f in msgspec.structs.fields(plain)
                for item, optional in [_strip_optional(hints[f.name])]
            ]
        )
    raise TypeError(f"no Arrow type for {hint!r}")


def _strip_annotated(hint: Any) -> tuple[Any, dict[str, Any]]:
    if get_origin(hint) is not Annotated:
        return hint, {}
    plain, *metas = get_args(hint)
    extra: dict[str, Any] = {}
    for meta in metas:
        extra |= getattr(meta, "extra", None) or {}
    return plain, extra


def _strip_optional(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint):
        (inner,) = [arg for arg in get_args(hint) if arg is not type(None)]
        return inner, True
    return hint, False


def _preparation(hint: Any) -> Callable[[Any], Any] | None:
    """What a value of this annotation needs beyond its type: finite floats, float32 rounding, valid text, UTC."""
    plain, extra = _strip_annotated(hint)
    origin, args = get_origin(plain), get_args(plain)
    if plain is float:
        return _float32 if extra.get("arrow") == "float32" else _finite
    if plain is str:
        return _valid_text
    if plain is datetime:
        return lambda value: value.astimezone(UTC)
    if origin is tuple:
        item, optional = _strip_optional(args[0])
        inner = _preparation(item)
        if inner is _float32:
            return _float32s
        if inner is None:
            return None
        prepare = inner
        if optional:
            return lambda values: tuple(None if v is None else prepare(v) for v in values)
        return lambda values: tuple(map(prepare, values))
    if origin is dict:
        inner = _preparation(args[1])
        return lambda values: {_valid_text(k): inner(v) if inner else v for k, v in values.items()}
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        return _struct_preparation(plain)
    return None


S = TypeVar("S", bound=msgspec.Struct)


def _struct_preparation(cls: type[S]) -> Callable[[S], S]:
    hints = get_type_hints(cls, include_extras=True)
    steps = []
    for field in msgspec.structs.fields(cls):
        inner = _preparation(_strip_optional(hints[field.name])[0])
        if inner:
            steps.append((field.name, inner))

    def prepare(value: S) -> S:
        changes: dict[str, Any] = {}
        for name, inner in steps:
            before = getattr(value, name)
            if before is not None:
                after = inner(before)
                if after is not before:
                    changes[name] = after
        return msgspec.structs.replace(value, **changes) if changes else value

    return prepare


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not finite (leave the field or entry out, or use None where it is allowed)")
    return value


def _float32(value: float) -> float:
    rounded = array("f", [_finite(value)])[0]
    if math.isinf(rounded):
        raise ValueError(f"{value} does not fit in float32")
    return rounded


def _float32s(values: tuple[float | None, ...]) -> tuple[float | None, ...]:
    rounded = array("f", [0.0 if v is None else v for v in values])
    if not math.isfinite(math.fsum(rounded)):
        index = next((i for i, v in enumerate(rounded) if not math.isfinite(v)), 0)
        raise ValueError(f"entry {index} is {values[index]}: not a finite float32 (an unscored token is None)")
    return tuple(None if v is None else r for v, r in zip(values, rounded, strict=True))


_SURROGATES = re.compile("[\ud800-\udfff]")


def _valid_text(value: str) -> str:
    if _SURROGATES.search(value):
        raise ValueError("text inside a list, map or struct holds a lone surrogate")
    return value


def _clean_text(name: str, value: str, raw: dict[str, bytes]) -> str:
    """Replace lone surrogates by U+FFFD and keep the original bytes in `raw` under the field's name."""
    cleaned = _SURROGATES.sub("�", value)
    if cleaned != value:
        raw[name] = value.encode("utf-8", "surrogatepass")
    return cleaned
