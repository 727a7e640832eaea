import itertools
import math

import pytest
import torch

from trajlog.errors import ModelError
from trajlog.learner.examples import Example
from trajlog.learner.finiteness import groups_at_fault

INF, NAN = math.inf, math.nan
FINE = [[0.1, 1.0]] * 4


def checks(*ranks):
    """Per rank (loss, norm) of three groups and the anchors."""
    return torch.tensor(ranks, dtype=torch.float64)


def test_a_group_whose_loss_is_not_finite_on_one_of_the_ranks():
    assert groups_at_fault(checks(FINE, [[0.1, 1.0], [NAN, 1.0], [0.1, 1.0], [0.0, 1.0]]), []) == (1,)


def test_the_group_after_which_the_gradient_is_not_finite_and_none_behind_it():
    assert groups_at_fault(checks([[0.1, 1.0], [0.1, INF], [0.1, NAN], [0.0, NAN]]), []) == (1,)


def test_each_rank_names_the_first_of_its_own():
    one, other = [[0.1, INF]] * 4, [[0.1, 1.0], [0.1, 1.0], [0.1, INF], [0.0, INF]]
    assert groups_at_fault(checks(one, other), []) == (0, 2)


def test_a_loss_tells_also_behind_a_gradient_that_is_lost():
    assert groups_at_fault(checks([[0.1, NAN], [0.1, NAN], [INF, NAN], [0.0, NAN]]), []) == (0, 2)


def test_all_when_only_the_sum_is_not_finite():
    assert groups_at_fault(checks(FINE, FINE), []) == (0, 1, 2)


def test_groups_are_named_before_the_anchors_are_blamed():
    assert groups_at_fault(checks([[NAN, 1.0], [0.1, 1.0], [0.1, 1.0], [NAN, INF]]), []) == (0,)
    example = Example(torch.tensor([2, 3]), torch.tensor([1]), "task-7")
    with pytest.raises(ModelError, match=r"out of learner\.bc_corpus \(tasks of the 1 drawn: task-7\)"):
        groups_at_fault(checks([*FINE[:3], [0.1, INF]]), [example])


def test_whoever_is_at_fault_some_group_is_named_and_none_that_was_finite_beside_one_that_was_not():
    """All patterns of three groups on two ranks: each try does without some group, so tries come to an end."""
    for spoilt in itertools.product([False, True], repeat=6):
        own = [spoilt[:3], spoilt[3:]]
        norms = [list(itertools.accumulate(rank, lambda a, b: a or b)) for rank in own]
        rows = [[[0.1, INF if lost else 1.0] for lost in [*rank, rank[-1]]] for rank in norms]
        named = groups_at_fault(checks(*rows), [])
        assert named
        if any(spoilt):
            assert all(own[0][group] or own[1][group] for group in named)
