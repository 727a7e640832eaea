import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.harness.guards import CallRecord, GuardConfig, news, tripped

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


@given(st.lists(st.sampled_from("ab"), max_size=14))
def test_only_the_latest_calls_count(signatures):
    calls = [call(signature) for signature in signatures]
    stuck = len(signatures) >= 4 and len(set(signatures[-4:])) == 1
    turning = len(signatures) >= 6 and signatures[-6:] == signatures[-2:] * 3
    around = len(signatures) >= 9 and signatures[-9:] == signatures[-3:] * 3
    last_news = max((signatures.index(s) for s in set(signatures)), default=0)
    stalled = len(signatures) - 1 - last_news >= 10
    expected = "repeated_call" if stuck else "cycle" if turning or around else "stall" if stalled else None
    assert tripped(calls, CONFIG) == expected


@pytest.mark.parametrize("length", [2, 3])
def test_a_short_cycle_with_the_same_answers_ends_the_episode(length):
    block = [call(str(n)) for n in range(length)]
    assert tripped(block * 3, CONFIG) == "cycle"
    assert tripped(block * 2 + block[:-1], CONFIG) is None
    assert tripped([*block * 2, call("other"), *block], CONFIG) is None
    answered_otherwise = [*block * 2, *block[:-1], call("another answer")]
    assert tripped(answered_otherwise, CONFIG) is None


def test_edits_to_and_fro_are_a_cycle():
    there, back = (CallRecord(name="edit_file", signature=s, changed=True) for s in ("there", "back"))
    assert tripped([there, back] * 3, CONFIG) == "cycle"


def step(name="step_over", signature="at line 3", **fields):
    return CallRecord(name=name, signature=signature, stopped=True, **fields)


def test_steps_through_a_loop_are_no_repetition_and_looking_at_the_same_again_is():
    loop = [step(signature="line 3"), step(signature="line 4")]
    assert tripped([step()] * 30, CONFIG) is None
    assert tripped(loop * 15, CONFIG) is None
    look = CallRecord(name="examine_locals", signature="x = 1", stopped=True)
    assert tripped([step(), look] * 3, CONFIG) == "cycle"
    assert tripped([look] * 4, CONFIG) == "repeated_call"
    waiting = CallRecord(name="continue_execution", signature="running")
    assert tripped([waiting] * 4, CONFIG) == "repeated_call"
    refused = step(is_error=True)
    assert tripped([refused] * 4, CONFIG) == "repeated_call"


def read(path, first, last):
    return CallRecord(name="read_file", signature=f"{path} {first} {last}", lines=(path, first, last))


def told(*calls):
    return list(news(calls))


def test_lines_are_news_once_until_the_code_changes():
    changed = CallRecord(name="edit_file", signature="e", changed=True)
    assert told(read("a", 1, 50), read("a", 10, 20), read("a", 40, 60), read("b", 1, 5)) == [True, False, True, True]
    assert told(read("a", 1, 9), read("a", 10, 20), read("a", 5, 15)) == [True, True, False]
    assert told(read("a", 10, 20), read("a", 1, 9), read("a", 1, 20)) == [True, True, False]
    assert told(read("a", 1, 9), changed, read("a", 1, 9)) == [True, True, True]


def test_what_counts_as_news():
    run = CallRecord(name="run_tests", signature="1 failed")
    edited = CallRecord(name="bash", signature="sed", changed=True)
    assert told(run, run, edited, run) == [True, False, True, True]
    assert told(CallRecord(name="bash", signature="exit code 1", is_error=True)) == [True]
    assert told(CallRecord(name="print_variable", signature="no x", is_error=True)) == [False]
    assert told(CallRecord(name="edit_file", signature="only a comment")) == [False]
    assert told(call("not a call", format_error=True)) == [False]
    assert told(step(), step()) == [True, True]


def test_a_stall_is_that_many_calls_without_news_however_they_differ():
    failing = [CallRecord(name="edit_file", signature=str(n), is_error=True) for n in range(10)]
    assert tripped([call("look"), *failing], CONFIG) == "stall"
    assert tripped([call("look"), *failing[:9]], CONFIG) is None
    assert tripped([*failing[:9], call("look"), failing[9]], CONFIG) is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), max_size=30))
def test_a_call_with_news_is_never_where_a_stall_ends(facts):
    calls = [CallRecord(name="bash", signature=s, changed=c, is_error=e) for s, c, e in facts]
    if calls and list(news(calls))[-1]:
        assert tripped(calls, CONFIG) != "stall"


def test_a_guard_that_would_stop_everything_is_refused():
    with pytest.raises(ValueError, match="max_identical_calls is 1"):
        GuardConfig(max_identical_calls=1)
