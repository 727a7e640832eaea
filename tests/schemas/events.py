"""Hypothesis strategies of valid events, and one fixed example of every kind (also the golden records' content)."""

import math
from datetime import UTC, datetime
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from trajlog.schemas import (
    KINDS,
    Chain,
    Event,
    Generation,
    GroupSealed,
    Member,
    TurnRouting,
    TurnSpan,
    VersionRun,
    chains_digest,
)
from trajlog.schemas.base import _strip_annotated, _strip_optional

FIXED: dict[str, Any] = {
    "event_id": "01932b7a-5c00-7000-8000-000000000001",
    "run_id": "demo",
    "group_id": "g-1",
    "episode_id": "e-1",
    "seq": 3,
    "emitted_at": datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC),
    "producer": "worker-1/0a1b2c3d",
    "raw": None,
}

finite = st.floats(allow_nan=False, allow_infinity=False)
logprob = st.floats(max_value=0, allow_nan=False, allow_infinity=False, width=32)
odd_text = st.text(st.characters(codec="utf-8")) | st.sampled_from(
    ["", "\x00", "a\u2028b\u2029c\u0085", "\ufffd", "🤖" * 3]
)
json_text = st.sampled_from(["{}", "[]", '{"a": [1, 2.5, null, "\\u2028"]}', '"\\u0000"'])
token_id = st.integers(0, 2**31 - 1)


def value_of(hint: Any) -> st.SearchStrategy[Any]:
    """Any valid value of an annotation of the schemas."""
    base, optional = _strip_optional(hint)
    plain, extra = _strip_annotated(base)
    metas = [m for m in getattr(base, "__metadata__", ()) if isinstance(m, msgspec.Meta)]
    strategy = _plain(plain, extra, metas)
    return st.none() | strategy if optional else strategy


def _plain(plain: Any, extra: dict[str, Any], metas: list[msgspec.Meta]) -> st.SearchStrategy[Any]:
    origin, args = get_origin(plain), get_args(plain)
    if extra.get("json"):
        return json_text
    for meta in metas:
        if meta.pattern:
            return st.from_regex(meta.pattern.replace("$", r"\Z"), fullmatch=True)
    if plain is bool:
        return st.booleans()
    if plain is int:
        low = next((m.ge for m in metas if m.ge is not None), -(2**63))
        high = next((m.le for m in metas if m.le is not None), 2**63 - 1)
        return st.integers(low, high)
    if plain is float:
        low = next((m.ge for m in metas if m.ge is not None), None)
        high = next((m.le for m in metas if m.le is not None), None)
        width = 32 if extra.get("arrow") == "float32" else 64
        return st.floats(low, high, allow_nan=False, allow_infinity=False, width=width)
    if plain is str:
        least = next((m.min_length for m in metas if m.min_length), 0)
        return st.text(st.characters(codec="utf-8"), min_size=least, max_size=40) if least else odd_text
    if plain is bytes:
        return st.binary(max_size=40)
    if plain is datetime:
        return st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(value_of(args[0]), max_size=4).map(tuple)
    if origin is dict:
        return st.dictionaries(value_of(args[0]), value_of(args[1]), max_size=4)
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        hints = get_type_hints(plain, include_extras=True)
        return st.builds(plain, **{name: value_of(hints[name]) for name in plain.__struct_fields__})
    raise TypeError(f"no strategy for {plain!r}")


def any_event(kind: str) -> st.SearchStrategy[Event]:
    """Any valid event of a kind, cross-field rules included."""
    cls = KINDS[kind]
    hints = get_type_hints(cls, include_extras=True)
    fields = {name: value_of(hints[name]) for name in cls.__struct_fields__}
    fields["raw"] = st.none()
    if cls.topic in ("rollouts", "groups"):
        fields["group_id"] = value_of(_strip_optional(hints["group_id"])[0])
    return st.fixed_dictionaries(fields).map(_follow_rules).map(lambda kwargs: cls(**kwargs))


def _follow_rules(fields: dict[str, Any]) -> dict[str, Any]:
    if "token_ids" in fields:
        total = len(fields["token_ids"])
        cycle = [*fields["logprobs"], None]
        fields["logprobs"] = tuple(cycle[i % len(cycle)] for i in range(total))
        fields["policy_versions"] = (VersionRun(1, total),)
    if "chains" in fields:
        fields["members"] = fields["members"] or (Member("e", "failed", 0.0, 1, 1),)
        chains = tuple(_whole_chain(chain, len(fields["members"])) for chain in fields["chains"])
        fields["chains"], fields["tokens_sha256"] = chains, chains_digest(chains)
        turns = [(index, span.turn) for index, chain in enumerate(chains) for span in chain.turns]
        files = zip(turns, fields["routed_experts"] or (), strict=False)
        fields["routed_experts"] = tuple(TurnRouting(*turn, file.uri, file.sha256) for turn, file in files) or None
    if "reward_components" in fields:
        fields["reward"] = None if fields["outcome"] == "error" else fields["reward"] or 0.5
        fields["guard"] = (fields["guard"] or "repeat") if fields["outcome"] == "guard" else None
    return fields


def _whole_chain(chain: Chain, num_members: int) -> Chain:
    length = len(chain.token_ids)
    generated = length // 2
    runs = (VersionRun(2, generated),)
    return Chain(
        member=chain.member % num_members,
        token_ids=chain.token_ids,
        loss_mask=tuple(i >= length - generated for i in range(length)),
        rollout_logprobs=tuple(-0.5 if i >= length - generated else None for i in range(length)),
        turns=(TurnSpan(0, length - generated, length, runs),) if generated else (),
    )


def example(kind: str) -> Event:
    """One fixed event of a kind: every field set, the same for ever (golden bytes are made of it)."""
    cls = KINDS[kind]
    hints = get_type_hints(cls, include_extras=True)
    fields = {name: FIXED[name] if name in FIXED else _fixed(name, hints[name]) for name in cls.__struct_fields__}
    if cls is Generation:
        fields |= {"logprobs": (-0.25, None, -1.5), "policy_versions": (VersionRun(4, 1), VersionRun(5, 2))}
        fields |= {"token_ids": (7, 8, 9), "text": "see\u2028\x00 ünïcode 🤖"}
    if cls is GroupSealed:
        spans = (TurnSpan(0, 2, 4, (VersionRun(4, 2),)),)
        chains = (Chain(0, (1, 2, 3, 4), (False, False, True, True), (None, None, -0.5, None), spans),)
        fields |= {"members": (Member("e-1", "solved", 1.25, 2, 1),), "chains": chains}
        fields["tokens_sha256"] = chains_digest(chains)
        fields["routed_experts"] = (TurnRouting(0, 0, "routed_experts text", "ab" * 32),)
    if "reward_components" in fields:
        fields |= {"outcome": "guard", "guard": "repeated_call", "reward": -1.5, "error": None}
    return cls(**fields)


def _fixed(name: str, hint: Any) -> Any:
    base, _ = _strip_optional(hint)
    plain, extra = _strip_annotated(base)
    origin, args = get_origin(plain), get_args(plain)
    if extra.get("json"):
        return '{"name": "value"}'
    if "sha256" in name or (plain is str and name == "tensor_digests"):
        return "ab" * 32
    if plain is bool:
        return True
    if plain is int:
        return 1 + len(name)
    if plain is float:
        return math.ldexp(len(name), -3)
    if plain is str:
        return f"{name} text"
    if plain is bytes:
        return name.encode()
    if plain is datetime:
        return FIXED["emitted_at"]
    if origin is Literal:
        return args[0]
    if origin is tuple:
        return (_fixed(name, args[0]),)
    if origin is dict:
        return {name: _fixed(name, args[1])}
    hints = get_type_hints(plain, include_extras=True)
    return plain(**{field: _fixed(field, hints[field]) for field in plain.__struct_fields__})
