import pytest

from trajlog.learner.sharding import decide

GIB = 1024**3
CODER_30B = dict(base_bytes=57 * GIB, adapter_elements=315_000_000)


@pytest.mark.parametrize(("memory_gib", "sharded"), [(140, False), (94, True), (80, True)])
def test_auto_shards_only_where_the_whole_base_leaves_too_little_memory(memory_gib, sharded):
    found, why = decide("auto", num_ranks=2, memory_bytes=memory_gib * GIB, **CODER_30B)
    assert found is sharded
    assert f"take 62.9 GiB of {memory_gib}.0 GiB on each device, and {'more' if sharded else 'no more'} than" in why


def test_the_setting_goes_before_memory_and_one_rank_before_the_setting():
    assert decide("sharded", num_ranks=2, memory_bytes=1000 * GIB, **CODER_30B)[0]
    assert not decide("replicated", num_ranks=2, memory_bytes=GIB, **CODER_30B)[0]
    assert not decide("sharded", num_ranks=1, memory_bytes=GIB, **CODER_30B)[0]
    assert not decide("auto", num_ranks=2, memory_bytes=None, **CODER_30B)[0]
