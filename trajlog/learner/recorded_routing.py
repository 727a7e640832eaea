"""Routing that the sampler recorded, for the chains of a sealed group: side files in, one array a chain out.

`generation` names the side file of a turn (serving/routed_experts.py), group_sealed repeats it for each turn of each
chain. A chain's files lie end to end: each begins with the last token before its turn, whose successor its call chose,
and ends before the last token it generated.

position      0 1 2 3 4 5 6 7 8 9
turn 0        c c c g g . . . . .      c context, g generated: positions 0..3 in its file
turn 1        . . . . . c g g g g      positions 4..8
row           0 0 0 0 1 1 1 1 1 -      position 9 was never fed to the sampler

A turn without a file, or whose file is gone or damaged, leaves its positions unrecorded: the learner's routers choose
there. A file of another model is an error.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from trajlog.errors import ModelError
from trajlog.schemas.group_sealed import Chain, GroupSealed
from trajlog.serving.routed_experts import RoutedExperts, first_position, load_routed_experts

UNRECORDED = -1
_DTYPES = {"U8": torch.uint8, "I16": torch.int16}
_REMEDY = (
    "Engines must serve model.name as the learner loads it: start them again. To go on, move the file away: the "
    "learner's own routers then choose for its turn."
)


class RoutingShape(NamedTuple):
    """Of a mixture: what its side files must look like."""

    num_layers: int
    top_k: int
    num_experts: int


class GroupRouting(NamedTuple):
    """Routing of a group's chains, as far as it was recorded."""

    chains: Mapping[int, Tensor]
    """By a chain's place in group_sealed, int16 [T, layers, K], UNRECORDED in every entry of a position without a
    record; chains without any record are not in it."""
    without: Sequence[str]
    """Of each turn without a record, which it is and why, in words."""


class Span(NamedTuple):
    """Chain positions first..end-1 that the side file of a turn covers."""

    turn: int
    first: int
    end: int


def spans(chain: Chain) -> list[Span]:
    """What the files of a chain's turns cover, in order: without gap or overlap, all positions but the last."""
    starts = [0, *(turn.stop for turn in chain.turns)]
    return [
        Span(turn.turn, first_position(start), max(turn.stop - 1, first_position(start)))
        for start, turn in zip(starts, chain.turns, strict=False)
    ]


def joined(num_tokens: int, parts: Sequence[tuple[int, Tensor]]) -> Tensor:
    """Rows of a chain's files at their places: int16 [T, layers, K], UNRECORDED elsewhere.

    `parts`, at least one: the first position and the rows, [positions, layers, K], of each file.
    """
    rows = torch.full((num_tokens, *parts[0][1].shape[1:]), UNRECORDED, dtype=torch.int16)
    for first, part in parts:
        rows[first : first + len(part)] = part
    return rows


def first_recorded(records: Sequence[Tensor]) -> Tensor:
    """Of several chains' rows [T, layers, K] of the same tokens, each token's first that is recorded, if any is."""
    found = records[0].clone()
    for record in records[1:]:
        missing = found[:, 0, 0] == UNRECORDED
        found[missing] = record[missing]
    return found


def load_routing(group: GroupSealed, shape: RoutingShape | None, places: Collection[int]) -> GroupRouting:
    """Read the side files of a group's chains, those at `places`.

    Raises ModelError for a file that is whole but does not fit its turn or, where it is given, the model's `shape`.
    """
    files = {(file.chain, file.turn): file for file in group.routed_experts or ()}
    chains: dict[int, Tensor] = {}
    without: list[str] = []
    for index, chain in enumerate(group.chains):
        if index not in places:
            continue
        parts = []
        for span in spans(chain):
            file = files.get((index, span.turn))
            which = f"turn {span.turn} of episode {group.members[chain.member].episode_id}"
            if file is None:
                without.append(f"{which}: its generation names no side file, the engine told no routing")
                continue
            try:
                routed = load_routed_experts(file.uri, file.sha256)
            except ModelError as error:
                without.append(f"{which}: {error}")
                continue
            parts.append((span.first, _rows(routed, span, shape, f"{file.uri} ({which})")))
        if parts:
            chains[index] = joined(len(chain.token_ids), parts)
    return GroupRouting(chains, without)


def _rows(routed: RoutedExperts, span: Span, shape: RoutingShape | None, what: str) -> Tensor:
    """Rows [positions, layers, K] of a file that fits."""
    positions, *sizes = routed.shape
    if positions != span.end - span.first:
        raise ModelError(f"{what} covers {positions} positions, its turn has {span.end - span.first}. {_REMEDY}")
    if shape is not None and tuple(sizes) != (shape.num_layers, shape.top_k):
        raise ModelError(
            f"{what} has {sizes[0]} layers with {sizes[1]} experts a token, the model has {shape.num_layers} with "
            f"{shape.top_k}. {_REMEDY}"
        )
    if not routed.data:
        return torch.zeros(routed.shape, dtype=_DTYPES[routed.dtype])
    rows = torch.frombuffer(bytearray(routed.data), dtype=_DTYPES[routed.dtype]).view(routed.shape)
    lowest, highest = map(int, rows.aminmax())
    if lowest < 0 or (shape is not None and highest >= shape.num_experts):
        wrong = lowest if lowest < 0 else highest
        known = "" if shape is None else f", the model has 0 to {shape.num_experts - 1}"
        raise ModelError(f"{what} names expert {wrong}{known}. {_REMEDY}")
    ordered = rows.sort(-1).values
    if bool((ordered[..., 1:] == ordered[..., :-1]).any()):
        raise ModelError(f"{what} names one expert twice for a token: no router chose that. {_REMEDY}")
    return rows
