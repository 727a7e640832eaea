"""From side files to one array a chain."""

import hashlib
from pathlib import Path

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learner.groups import chain, sealed, simple_group
from tests.learner.routing import drawn, recorded, side_file
from trajlog.errors import ModelError
from trajlog.learner.consumption import batch_digest
from trajlog.learner.recorded_routing import UNRECORDED, RoutingShape, first_recorded, joined, load_routing, spans
from trajlog.serving.routed_experts import RoutedExperts, save_routed_experts

SHAPE = RoutingShape(num_layers=2, top_k=2, num_experts=8)
turns = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=5)


def load(group):
    return load_routing(group, SHAPE, range(len(group.chains)))


def chain_of(pieces):
    return chain(0, [(context, generated, 0) for context, generated in pieces])


def test_the_files_of_two_turns_by_hand():
    assert spans(chain_of([(3, 2), (1, 4)])) == [(0, 0, 4), (1, 4, 9)]


@given(turns)
def test_the_files_of_a_chain_cover_every_position_but_the_last_once(pieces):
    found = chain_of(pieces)
    covered = [position for span in spans(found) for position in range(span.first, span.end)]
    assert covered == list(range(len(found.token_ids) - 1))


@given(turns, st.data())
def test_joined_rows_are_those_of_one_pass_where_a_file_is_there(pieces, data):
    """One pass over the whole chain is cut as workers cut it, some pieces are lost, the others joined."""
    found = chain_of(pieces)
    num_tokens = len(found.token_ids)
    whole = drawn(num_tokens, seed=data.draw(st.integers(0, 9)))
    kept = [span for span in spans(found) if data.draw(st.booleans())]
    if not kept:
        return
    rows = joined(num_tokens, [(span.first, whole[span.first : span.end]) for span in kept])
    known = {position for span in kept for position in range(span.first, span.end)}
    expected = whole.clone()
    for position in set(range(num_tokens)) - known:
        expected[position] = UNRECORDED
    assert torch.equal(rows, expected)
    assert rows.dtype == torch.int16


@settings(max_examples=25, deadline=None)
@given(pieces=turns.filter(lambda pieces: sum(map(sum, pieces)) > 1))
def test_a_chain_gets_the_rows_that_its_files_hold(tmp_path_factory, pieces):
    folder = tmp_path_factory.getbasetemp() / "rows"
    group = recorded(sealed("g", [chain_of(pieces)], [1.0]), folder)
    found = load(group)
    expected = [drawn(span.end - span.first, seed=place) for place, span in enumerate(spans(group.chains[0]))]
    assert found.without == []
    assert torch.equal(found.chains[0][:-1], torch.cat(expected))
    assert (found.chains[0][-1] == UNRECORDED).all()


def without_file(group: msgspec.Struct, place: int):
    files = group.routed_experts
    return msgspec.structs.replace(group, routed_experts=files[:place] + files[place + 1 :])


def test_a_turn_without_a_file_or_with_a_damaged_one_is_unrecorded_and_told(tmp_path: Path):
    group = recorded(simple_group("g"), tmp_path)
    whole = load(group)
    damaged, missing = Path(group.routed_experts[3].uri), Path(group.routed_experts[5].uri)
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    missing.unlink()
    found = load(without_file(group, 0))
    assert [text.split(":")[0] for text in found.without] == [
        "turn 0 of episode g-0",
        "turn 1 of episode g-1",
        "turn 1 of episode g-2",
    ]
    assert "names no side file" in found.without[0]
    assert f"{damaged} is not the file that its event names" in found.without[1]
    assert f"{missing} does not exist" in found.without[2]
    for index, lost in ((0, slice(0, 7)), (1, slice(8, 99)), (2, slice(9, 99)), (3, slice(0, 0))):
        expected = whole.chains[index].clone()
        expected[lost] = UNRECORDED
        assert torch.equal(found.chains[index], expected)


def test_chains_that_are_not_asked_for_are_not_read(tmp_path: Path):
    group = recorded(simple_group("g"), tmp_path)
    Path(group.routed_experts[2].uri).unlink()
    found = load_routing(group, SHAPE, [0, 2, 3])
    assert (sorted(found.chains), found.without) == ([0, 2, 3], [])


def test_an_expert_named_twice_anywhere_in_a_row_is_an_error(tmp_path: Path):
    group = recorded(simple_group("g"), tmp_path)
    rows = torch.tensor([[[0, 3, 1], [1, 2, 1]]]).expand(7, -1, -1)
    uri, sha256 = side_file(tmp_path, rows)
    first = msgspec.structs.replace(group.routed_experts[0], uri=uri, sha256=sha256)
    with pytest.raises(ModelError, match=r"names one expert twice .*move the file away"):
        load_routing(msgspec.structs.replace(group, routed_experts=(first,)), RoutingShape(2, 3, 8), [0])


def test_each_token_gets_the_first_row_that_is_recorded():
    none = torch.full((3, 1, 2), UNRECORDED, dtype=torch.int16)
    one, two = none.clone(), drawn(3, seed=1)[:, :1].to(torch.int16)
    one[1] = torch.tensor([5, 4])
    assert first_recorded([none, one, two]).tolist() == [two[0].tolist(), [[5, 4]], two[2].tolist()]
    assert first_recorded([none]).tolist() == none.tolist()


def test_a_chain_without_any_record_has_no_array(tmp_path: Path):
    found = load(simple_group("g"))
    assert found.chains == {}
    assert len(found.without) == 8


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (drawn(8, 0), "covers 8 positions, its turn has 7"),
        (drawn(7, 0)[:, :1], "has 1 layers with 2 experts a token, the model has 2 with 2"),
        (drawn(7, 0)[:, :, :1], "has 2 layers with 1 experts a token, the model has 2 with 2"),
        (drawn(7, 0) + 8, "names expert 15, the model has 0 to 7"),
        (torch.zeros(7, 2, 2), "names one expert twice for a token"),
    ],
)
def test_a_file_of_another_model_is_an_error_that_names_it(tmp_path: Path, rows, said):
    group = recorded(simple_group("g"), tmp_path)
    uri, sha256 = side_file(tmp_path, rows)
    first = msgspec.structs.replace(group.routed_experts[0], uri=uri, sha256=sha256)
    group = msgspec.structs.replace(group, routed_experts=(first, *group.routed_experts[1:]))
    with pytest.raises(ModelError, match=said) as raised:
        load(group)
    assert f"{uri} (turn 0 of episode g-0)" in str(raised.value)


def test_a_negative_expert_is_an_error(tmp_path: Path):
    group = recorded(simple_group("g"), tmp_path)
    data = torch.where(drawn(7, 0) == 7, -1, drawn(7, 0)).to(torch.int16).numpy().tobytes()
    uri, sha256 = save_routed_experts(tmp_path, RoutedExperts((7, 2, 2), "I16", data))
    first = msgspec.structs.replace(group.routed_experts[0], uri=uri, sha256=sha256)
    with pytest.raises(ModelError, match="names expert -1, the model has 0 to 7"):
        load(msgspec.structs.replace(group, routed_experts=(first,)))


def test_the_digest_of_a_batch_is_another_for_other_routing(tmp_path: Path):
    group = simple_group("g")
    one, two = recorded(group, tmp_path), recorded(group, tmp_path, seed=7)
    digests = {batch_digest([g], replays_routing=True) for g in (group, one, two, without_file(one, 0))}
    assert len(digests) == 4
    plain = hashlib.sha256(bytes.fromhex(group.tokens_sha256)).hexdigest()
    assert {batch_digest([g]) for g in (group, one, two)} == {plain} == {batch_digest([group], replays_routing=True)}
