from hypothesis import given
from hypothesis import strategies as st

from trajlog.config import GroupConfig
from trajlog.stream.group_size import MIXED, choose_group_size


def mixed(success, size):
    return 1 - success**size - (1 - success) ** size


def test_the_less_certain_a_task_the_smaller_its_groups():
    assert [choose_group_size(p, 4, 16) for p in (0.5, 0.7, 0.2, 0.05)] == [5, 7, 11, 16]


@given(st.floats(0, 1), st.integers(1, 16), st.integers(0, 16))
def test_it_is_the_smallest_in_the_range_that_mixes_often_enough_or_the_largest(success, smallest, more):
    size = choose_group_size(success, smallest, smallest + more)
    assert smallest <= size <= smallest + more
    assert size == smallest or mixed(success, size - 1) < MIXED
    assert size == smallest + more or mixed(success, size) >= MIXED


def test_a_hardware_profile_sets_the_range_and_group_size_caps_it():
    assert GroupConfig(group_size=12).sizes() == (12, 12)
    assert GroupConfig(group_size=16, hardware="gpu").sizes() == (8, 12)
    assert GroupConfig(group_size=10, hardware="gpu").sizes() == (8, 10)
    assert GroupConfig(group_size=16, hardware="node").sizes() == (12, 12)
    assert GroupConfig(group_size=3, min_group_size=2, hardware="cpu").sizes() == (2, 3)
