import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.learner.cost import seconds
from trajlog.learner.dealing import PACK_SECONDS, Dealer
from trajlog.learner.packing import pack

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


CHAINS = st.lists(st.lists(st.tuples(st.integers(1, 100), st.integers(0, 9)), max_size=14), max_size=5)


@given(CHAINS, st.integers(1, 8), st.booleans(), st.booleans())
def test_every_chain_goes_to_one_microbatch_of_one_rank_and_counts_are_at_most_one_apart(
    groups, num_ranks, lockstep, last
):
    dealer, again = Dealer(num_ranks, lockstep=lockstep), Dealer(num_ranks, lockstep=lockstep)
    counts, loads = [0] * num_ranks, [0.0] * num_ranks
    for group in groups:
        lengths, together = [length for length, _ in group], [key for _, key in group]
        dealt = dealer.deal_chains(lengths, 100, together, last=last)
        assert dealt == again.deal_chains(lengths, 100, together, last=last)
        assert sorted(i for own in dealt for indices in own for i in indices) == list(range(len(group)))
        for rank, own in enumerate(dealt):
            assert all(indices and sum(lengths[i] for i in indices) <= 100 for indices in own)
            counts[rank] += len(own)
            loads[rank] += sum(PACK_SECONDS + seconds(lengths[i] for i in indices) for indices in own)
        for key in set(together):
            chains = [i for i, other in enumerate(together) if other == key]
            if sum(lengths[i] for i in chains) <= 100:
                assert sum(any(i in indices for i in chains) for own in dealt for indices in own) == 1
        assert dealer.counts == counts
        assert dealer.seconds == pytest.approx(loads)
        assert max(counts) - min(counts) <= 1


@given(st.lists(st.integers(1, 100), max_size=14), st.booleans(), st.booleans())
def test_one_rank_gets_what_the_packer_makes(lengths, lockstep, last):
    assert Dealer(1, lockstep=lockstep).deal_chains(lengths, 100, last=last) == [pack(lengths, 100)]


def test_the_last_group_gets_more_microbatches_where_that_evens_the_ranks():
    dealer = Dealer(2)
    assert dealer.deal_chains([9000, 7000, 6000], 16384) == [[[1, 2]], [[0]]]
    assert dealer.deal_chains([8000, 7000, 1200], 16384) == [[], [[0, 1, 2]]]
    dealer = Dealer(2)
    dealer.deal_chains([9000, 7000, 6000], 16384)
    assert dealer.deal_chains([8000, 7000, 1200], 16384, last=True) == [[[1]], [[0, 2]]]
    assert dealer.balance > 0.97


def test_in_lockstep_every_group_fills_its_rounds_with_even_microbatches():
    dealer = Dealer(2, lockstep=True)
    assert dealer.deal_chains([5000, 5000, 5000, 3000], 16384) == [[[0, 2]], [[1, 3]]]
    assert dealer.deal_chains([3000, 3000], 16384) == [[[1]], [[0]]]
    assert dealer.deal_chains([3000], 16384) == [[], [[0]]]
    assert dealer.level() == [1, 0]


@pytest.mark.parametrize("seed", range(20))
def test_four_groups_of_mixed_lengths_are_even_on_two_ranks(seed):
    chance, dealer = random.Random(seed), Dealer(2)
    for group in range(4):
        dealer.deal_chains([chance.randint(2000, 16384) for _ in range(12)], 16384, last=group == 3)
    assert dealer.balance > 0.975
