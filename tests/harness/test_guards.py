import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.harness.guards import CallRecord, GuardConfig, tripped

CONFIG = GuardConfig(max_format_errors=3, max_identical_calls=4)


def call(signature, *, format_error=False):
    return CallRecord(name="bash", signature=signature, format_error=format_error)


def test_format_errors_in_a_row_end_the_episode_and_others_reset_the_count():
    wrong = [call(str(n), format_error=True) for n in range(3)]
    assert tripped(wrong, CONFIG) == "format_errors"
    assert tripped(wrong[:2], CONFIG) is None
    assert tripped([*wrong[:2], call("fine"), wrong[2]], CONFIG) is None


def test_the_same_call_with_the_same_answer_ends_the_episode():
    assert tripped([call("ls")] * 4, CONFIG) == "repeated_call"
    assert tripped([call("ls")] * 3, CONFIG) is None
    assert tripped([call("ls"), call("ls"), call("cat"), call("ls")], CONFIG) is None


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_only_the_latest_calls_count(signatures):
    calls = [call(signature) for signature in signatures]
    stuck = len(signatures) >= 4 and len(set(signatures[-4:])) == 1
    assert tripped(calls, CONFIG) == ("repeated_call" if stuck else None)


def test_a_guard_that_would_stop_everything_is_refused():
    with pytest.raises(ValueError, match="max_identical_calls is 1"):
        GuardConfig(max_identical_calls=1)
