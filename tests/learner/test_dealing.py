import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.learner.dealing import Dealer

SECONDS = st.lists(st.lists(st.floats(0.01, 2.0), max_size=12), max_size=5)


@given(SECONDS, st.integers(1, 8))
def test_every_microbatch_goes_to_one_rank_and_counts_are_at_most_one_apart(groups, num_ranks):
    dealer, again = Dealer(num_ranks), Dealer(num_ranks)
    counts = [0] * num_ranks
    for costs in groups:
        ranks = dealer.deal(costs)
        assert ranks == again.deal(costs)
        assert len(ranks) == len(costs)
        for rank in ranks:
            counts[rank] += 1
        assert max(counts) - min(counts) <= 1
        assert dealer.counts == counts


@given(st.lists(st.floats(0.01, 2.0), min_size=1, max_size=40), st.integers(1, 8))
def test_ranks_differ_by_at_most_the_costliest_microbatch(costs, num_ranks):
    dealer = Dealer(num_ranks)
    ranks = dealer.deal(costs)
    given_out = [sum(cost for cost, rank in zip(costs, ranks, strict=True) if rank == r) for r in range(num_ranks)]
    assert dealer.seconds == pytest.approx(given_out)
    assert max(given_out) - min(given_out) <= max(costs) + 1e-9


@given(st.lists(st.floats(0.01, 2.0), max_size=12), st.integers(1, 8))
def test_levelled_ranks_have_equally_many(costs, num_ranks):
    dealer = Dealer(num_ranks)
    ranks = dealer.deal(costs)
    missing = dealer.level()
    assert {ranks.count(rank) + more for rank, more in enumerate(missing)} == {-(-len(costs) // num_ranks)}
    assert dealer.level() == [0] * num_ranks


def test_rounds_of_equal_cost_whose_sums_even_out():
    dealer = Dealer(2)
    assert dealer.deal([4.0, 1.0, 3.0, 1.0]) == [0, 1, 1, 0]
    assert dealer.deal([1.0]) == [1]
    assert dealer.deal([2.0]) == [0]
    assert dealer.balance == 12 / 2 / 7
