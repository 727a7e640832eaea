import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trajlog.learner import sharing
from trajlog.learner.sharing import end_to_end, end_to_end_lengths, shared_length


def ints(*values):
    return torch.tensor(values, dtype=torch.int64)


@pytest.fixture(autouse=True)
def _every_length(monkeypatch):
    monkeypatch.setattr(sharing, "MULTIPLE", 1)


TOKENS = st.lists(st.integers(0, 1), min_size=2, max_size=12)


@given(st.lists(TOKENS, min_size=2, max_size=5), st.data())
def test_the_longest_beginning_that_all_have_and_that_no_trained_token_needs(rows, data):
    sequences = [ints(*row) for row in rows]
    positions = [ints(data.draw(st.integers(1, len(row) - 1)), len(row)) for row in rows]
    shared = shared_length(sequences, positions)
    assert all(row[:shared] == rows[0][:shared] for row in rows)
    assert all(shared < int(p[0]) for p in positions)
    could_be_longer = all(row[: shared + 1] == rows[0][: shared + 1] for row in rows)
    assert not could_be_longer or min(int(p[0]) for p in positions) == shared + 1
    tokens, lengths = end_to_end(sequences, shared), end_to_end_lengths([len(s) for s in sequences], shared)
    parts = tokens.split(lengths)
    beginning, rests = (parts[0], parts[1:]) if shared else (ints(), parts)
    assert [[*beginning.tolist(), *rest.tolist()] for rest in rests] == rows


def test_by_hand():
    sequences = [ints(1, 2, 3, 4, 5), ints(1, 2, 3, 9), ints(1, 2, 3, 4)]
    assert shared_length(sequences, [ints(4), ints(3), ints(3)]) == 2  # the state before the first trained token stays
    assert shared_length(sequences, [ints(4), ints(3), ints(1, 3)]) == 0
    assert shared_length(sequences[:1], [ints(4)]) == 0
    assert shared_length([ints(1, 2, 3)] * 2, [ints(), ints()]) == 2
    assert end_to_end(sequences, 2).tolist() == [1, 2, 3, 4, 5, 3, 9, 3, 4]
    assert end_to_end_lengths([5, 4, 4], 2) == [2, 3, 2, 2]


def test_the_length_is_cut_down_to_what_kernels_like(monkeypatch):
    monkeypatch.setattr(sharing, "MULTIPLE", 128)
    same = torch.arange(300)
    for trained, expected in ((299, 256), (257, 256), (256, 128), (129, 128), (128, 0)):
        assert shared_length([same, same], [ints(trained), ints(299)]) == expected
