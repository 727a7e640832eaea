"""A group sealed from buffers is the group that was sampled."""

import math
from array import array

import msgspec
import pytest
from hypothesis import given, settings

from tests.schemas.events import any_event, example
from trajlog.errors import InvalidEvent
from trajlog.schemas import GroupSealed, chains_digest, decode, encode
from trajlog.schemas.sealing import PackedChain, encode_sealed


def packed(chain):
    logprobs = [math.nan if value is None else value for value in chain.rollout_logprobs]
    return PackedChain(
        member=chain.member,
        token_ids=array("i", chain.token_ids).tobytes(),
        loss_mask=bytes(chain.loss_mask),
        rollout_logprobs=array("f", logprobs).tobytes(),
        turns=chain.turns,
    )


@settings(max_examples=40, deadline=None)
@given(any_event("group_sealed"))
def test_the_record_is_that_of_the_event(event):
    empty = msgspec.structs.replace(event, chains=(), tokens_sha256="0" * 64)
    (record,) = encode_sealed(empty, [packed(chain) for chain in event.chains])
    (expected,) = encode([event])
    assert (record.key, record.headers[:-1]) == (expected.key, expected.headers[:-1])  # all but the checksum
    assert decode(record.headers, record.value).events() == [event]
    assert event.tokens_sha256 == chains_digest(event.chains)


def test_buffers_that_do_not_belong_together_are_refused():
    event = example("group_sealed")
    assert isinstance(event, GroupSealed)
    whole = packed(event.chains[0])
    for broken in (
        whole._replace(member=1),
        whole._replace(token_ids=whole.token_ids[4:]),
        whole._replace(loss_mask=b"\1\1\1\1"),
    ):
        with pytest.raises(ValueError, match="do not belong together"):
            encode_sealed(event, [broken])


def test_a_side_file_of_a_turn_that_no_chain_has_is_refused():
    event = example("group_sealed")
    file = event.routed_experts[0]
    for other in (msgspec.structs.replace(file, turn=1), msgspec.structs.replace(file, chain=1)):
        with pytest.raises(InvalidEvent, match=r"routed_experts names turn . of chains\[.\], not there"):
            msgspec.structs.replace(event, routed_experts=(other,))
