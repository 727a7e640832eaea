"""group_sealed from token buffers: the same record as encode([GroupSealed(...)]), without a Python object per token."""

import hashlib
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from trajlog.schemas.base import arrow_schema
from trajlog.schemas.codec import decode_batch, encode_columns, encode_events
from trajlog.schemas.group_sealed import GroupSealed, TurnSpan
from trajlog.schemas.record import NewRecord


class PackedChain(NamedTuple):
    """A Chain as buffers, length T."""

    member: int
    token_ids: bytes
    """int32 [T]."""
    loss_mask: bytes
    """One byte a token, 0 or 1 [T]."""
    rollout_logprobs: bytes
    """float32 [T]; NaN is null."""
    turns: tuple[TurnSpan, ...]

    @property
    def num_tokens(self) -> int:
        return len(self.loss_mask)


def packed_digest(chains: Sequence[PackedChain]) -> str:
    """chains_digest of them."""
    digest = hashlib.sha256()
    for chain in chains:
        digest.update(array("i", [chain.member, chain.num_tokens]).tobytes())
        digest.update(chain.token_ids)
        digest.update(chain.loss_mask)
    return digest.hexdigest()


def encode_sealed(event: GroupSealed, chains: Sequence[PackedChain]) -> list[NewRecord]:
    """Records of `event`, which has no chains and any digest, with these chains and theirs.

    Raises ValueError when a chain's buffers differ in length or name a member that is not there.
    """
    for index, chain in enumerate(chains):
        num_tokens = chain.num_tokens
        generated = sum(span.stop - span.start for span in chain.turns)
        fits = len(chain.token_ids) == len(chain.rollout_logprobs) == 4 * num_tokens
        if not fits or not 0 <= chain.member < len(event.members) or generated != chain.loss_mask.count(1):
            raise ValueError(f"chains[{index}]: its buffers do not belong together")
    whole = msgspec.structs.replace(event, tokens_sha256=packed_digest(chains))
    batch = decode_batch(encode_events([whole]), arrow_schema(GroupSealed))
    column = _chains_column(chains)
    batch = batch.set_column(batch.schema.get_field_index("chains"), batch.schema.field("chains"), column)
    return encode_columns(GroupSealed, batch, whole.key(), whole.run_id, whole.event_id)


def _chains_column(chains: Sequence[PackedChain]) -> Any:
    kind = arrow_schema(GroupSealed).field("chains").type
    fields = {field.name: field.type for field in kind.value_type}
    lengths = [chain.num_tokens for chain in chains]
    mask = _values(pa.int8(), [chain.loss_mask for chain in chains]).cast(pa.bool_())
    logprobs = _values(pa.float32(), [chain.rollout_logprobs for chain in chains])
    logprobs = pc.if_else(pc.is_nan(logprobs), pa.scalar(None, pa.float32()), logprobs)
    spans = [msgspec.to_builtins(chain.turns) for chain in chains]
    columns = {
        "member": pa.array([chain.member for chain in chains], pa.int32()),
        "token_ids": _lists(fields["token_ids"], lengths, _values(pa.int32(), [chain.token_ids for chain in chains])),
        "loss_mask": _lists(fields["loss_mask"], lengths, mask),
        "rollout_logprobs": _lists(fields["rollout_logprobs"], lengths, logprobs),
        "turns": pa.array(spans, fields["turns"]),
    }
    arrays = [columns[field.name] for field in kind.value_type]
    return _lists(kind, [len(chains)], pa.StructArray.from_arrays(arrays, fields=list(kind.value_type)))


def _values(kind: pa.DataType, buffers: Sequence[bytes]) -> Any:
    joined = b"".join(buffers)
    return pa.Array.from_buffers(kind, len(joined) * 8 // kind.bit_width, [None, pa.py_buffer(joined)])


def _lists(kind: pa.DataType, lengths: Sequence[int], values: Any) -> Any:
    offsets = pa.array([0, *accumulate(lengths)], pa.int32())
    return pa.ListArray.from_arrays(offsets, values, type=kind)
