"""Which partitions are read above the byte budget: by value, and whatever comes."""

import math

from hypothesis import given
from hypothesis import strategies as st

from trajlog.stream.log import TopicPartition
from trajlog.stream.memory import LOW_MARK, Load, choose_paused

A, B, C = (TopicPartition("t", number) for number in range(3))
BUDGET = 1000
loads = st.dictionaries(
    st.sampled_from([A, B, C]),
    st.builds(Load, st.integers(0, 700), st.sampled_from([0.0, 1.0, 5.0, math.inf]), st.booleans()),
    min_size=1,
)


def test_above_the_budget_only_the_partition_closest_to_closing_is_read():
    held = {A: Load(600, 3, True), B: Load(300, 1, True), C: Load(200, math.inf, True)}
    assert choose_paused(held, frozenset(), BUDGET) == {A, C}


def test_one_that_is_read_to_its_end_makes_way_for_one_that_waits():
    held = {A: Load(600, 3, True), B: Load(500, 1, False)}
    assert choose_paused(held, frozenset({A}), BUDGET) == {B}


def test_between_the_marks_nothing_changes_and_under_the_low_one_all_are_read():
    between = {A: Load(400, 3, True), B: Load(500, 1, True)}
    assert choose_paused(between, frozenset({A}), BUDGET) == {A}
    assert choose_paused(between, frozenset(), BUDGET) == frozenset()
    under = {A: Load(300, 3, True), B: Load(400, 1, True)}
    assert choose_paused(under, frozenset({A}), BUDGET) == frozenset()


@given(loads, st.sets(st.sampled_from([A, B, C])))
def test_whatever_is_held_something_that_waits_is_read(found, before):
    paused = choose_paused(found, frozenset(before), BUDGET)
    held = sum(load.num_bytes for load in found.values())
    unread = {tp for tp, load in found.items() if load.unread}
    assert paused < found.keys()
    assert not unread or unread - paused
    if held > BUDGET and unread:
        assert len(found.keys() - paused) == 1
    if held <= LOW_MARK * BUDGET or not unread:
        assert paused == frozenset()


class Pretended:
    """Partitions whose groups need `size` records of 100 bytes each, read one record at a time: what is held and who is
    read, without a log."""

    def __init__(self, streams):
        self.streams, self.at = streams, dict.fromkeys(streams, 0)
        self.open = {tp: {} for tp in streams}
        self.closed = []

    def loads(self):
        return {
            tp: Load(
                100 * sum(self.open[tp].values()),
                min((3 - count for count in self.open[tp].values()), default=math.inf),
                self.at[tp] < len(stream),
            )
            for tp, stream in self.streams.items()
        }

    def read(self, tp):
        group = self.streams[tp][self.at[tp]]
        self.at[tp] += 1
        count = self.open[tp][group] = self.open[tp].get(group, 0) + 1
        if count == 3:
            del self.open[tp][group]
            self.closed.append((tp, group))


@given(st.data())
def test_every_group_closes_and_no_more_is_held_than_the_budget_and_what_the_log_leaves_open(data):
    def stream(tp):
        return data.draw(st.permutations([f"{tp.partition}-{n // 3}" for n in range(12)]))

    fold = Pretended({tp: stream(tp) for tp in (A, B, C)})
    paused, budget = frozenset(), 500
    while any(load.unread for load in fold.loads().values()):
        ready = [tp for tp, load in sorted(fold.loads().items()) if load.unread and tp not in paused]
        fold.read(data.draw(st.sampled_from(ready)))
        paused = choose_paused(fold.loads(), paused, budget)
    assert len(fold.closed) == len(set(fold.closed)) == 12
    assert all(load.num_bytes == 0 for load in fold.loads().values())
