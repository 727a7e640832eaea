import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.learner.packing import pack, pack_for


@given(st.lists(st.integers(1, 100), max_size=60), st.integers(100, 400))
def test_nothing_dropped_nothing_doubled_nothing_too_large(lengths, max_tokens):
    packed = pack(lengths, max_tokens)
    assert sorted(i for indices in packed for i in indices) == list(range(len(lengths)))
    assert all(indices and sum(lengths[i] for i in indices) <= max_tokens for indices in packed)
    assert packed == pack(lengths, max_tokens)
    total = sum(lengths)
    # no two microbatches would fit in one, so all but one are more than half full
    assert len(packed) <= 2 * total / max_tokens + 1


def test_as_few_as_first_fit_takes_and_then_even_costliest_first():
    assert pack([300, 700, 200, 900], 1000) == [[3], [1], [0, 2]]
    assert pack([], 10) == []
    assert pack([10, 10], 10) == [[0], [1]]


@pytest.mark.parametrize("length", [0, 11])
def test_a_chain_that_cannot_be_held_is_refused(length):
    with pytest.raises(ValueError, match=f"chain 1 has {length} tokens"):
        pack([5, length], 10)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=40), st.integers(0, 60), st.integers(0, 200))
def test_a_shared_beginning_counts_once_in_every_microbatch(rests, shared, more):
    max_tokens = shared + 100 + more
    packed = pack([shared + n for n in rests], max_tokens, shared=shared)
    assert sorted(i for indices in packed for i in indices) == list(range(len(rests)))
    assert all(shared + sum(rests[i] for i in indices) <= max_tokens for indices in packed)
    # no two microbatches would fit in one, so all but one are more than half full of rests
    assert len(packed) <= 2 * sum(rests) / (max_tokens - shared) + 1


@given(st.lists(st.integers(1, 100), max_size=20), st.integers(1, 8))
def test_as_many_as_a_multiple_unless_there_are_too_few_chains(lengths, multiple_of):
    fewest, packed = pack(lengths, 100), pack(lengths, 100, multiple_of=multiple_of)
    assert sorted(i for indices in packed for i in indices) == list(range(len(lengths)))
    assert all(indices and sum(lengths[i] for i in indices) <= 100 for indices in packed)
    assert len(packed) == min(len(fewest) + -len(fewest) % multiple_of, len(lengths))


def test_each_owner_gets_a_microbatch_and_the_least_loaded_the_costliest_chain():
    assert pack_for([500, 400, 300], 1000, None, [1, 0], [0.0, 1.0]) == [[2], [0, 1]]
    assert pack_for([500, 400], 1000, None, [1, 0], [0.0, 1.0]) is None  # nothing is left for 1
    assert pack_for([500, 400, 300], 1000, None, [1, 0], [0.0, 0.001]) == [[1, 2], [0]]
    assert pack_for([500, 400, 300], 500, None, [0, 1], [0.0, 0.0]) is None
    assert pack_for([500, 400, 300], 1000, [0, 1, 1], [0, 1], [0.0, 0.0]) == [[1, 2], [0]]
