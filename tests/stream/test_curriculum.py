from collections import Counter

import pytest

from trajlog.stream.curriculum import ADVANCE_EPISODES, RISE_EPISODES, Curriculum, CurriculumTask


def plain(*names):
    return [CurriculumTask(name) for name in names]


def labelled(**counts):
    return [CurriculumTask(f"{label}{i}", debugger=label) for label, count in counts.items() for i in range(count)]


def opened(curriculum, count):
    tasks = []
    for _ in range(count):
        tasks.append(curriculum.next_task())
        curriculum.opened(tasks[-1])
    return tasks


def finish(curriculum, task_id, count, *, solved=True, fits=None):
    for _ in range(count):
        curriculum.finished(task_id, solved, fits)


def labels(tasks):
    return Counter(task.rstrip("0123456789") for task in tasks)


def test_every_task_comes_once_a_round_in_an_order_of_the_seed():
    names = [f"t{i}" for i in range(6)]
    tasks = opened(Curriculum(plain(*names), seed=1), 18)
    rounds = [tasks[i : i + 6] for i in (0, 6, 12)]
    assert all(sorted(one) == names for one in rounds)
    assert rounds[0] != rounds[1]
    assert tasks == opened(Curriculum(plain(*names), seed=1), 18)
    assert tasks != opened(Curriculum(plain(*names), seed=2), 18)


def test_the_estimate_starts_at_one_half_and_follows_the_last_episodes():
    curriculum = Curriculum(plain("t"), seed=0)
    assert curriculum.success("t") == 0.5
    curriculum.finished("t", solved=True)
    assert curriculum.success("t") == 2 / 3
    finish(curriculum, "t", 1000, solved=False)
    assert curriculum.success("t") == 1 / 50


def test_tasks_solved_sometimes_come_five_times_as_often():
    curriculum = Curriculum(plain("seldom", "sometimes", "always"), seed=0)
    for i in range(40):
        curriculum.finished("seldom", solved=i % 20 == 0)
        curriculum.finished("always", solved=True)
        curriculum.finished("sometimes", solved=i % 2 == 0)
    assert Counter(opened(curriculum, 49)) == {"sometimes": 35, "seldom": 7, "always": 7}


def test_an_unsolved_task_comes_ever_more_seldom_but_is_retried():
    curriculum = Curriculum(plain("never", "sometimes"), seed=0)
    finish(curriculum, "sometimes", 24)
    finish(curriculum, "sometimes", 24, solved=False)
    curriculum.finished("sometimes", solved=True)
    costs = []
    for _ in range(6):
        finish(curriculum, "never", 12, solved=False)
        costs.append(curriculum.cost("never"))
    assert costs == [5, 10, 10, 20, 20, 20]
    finish(curriculum, "never", 1000, solved=False)
    assert curriculum.cost("never") == 20
    assert Counter(opened(curriculum, 105)) == {"sometimes": 100, "never": 5}


def test_an_unsolved_task_that_is_solved_comes_back_at_once():
    curriculum = Curriculum(plain("late", *"abcdef"), seed=0)
    finish(curriculum, "late", 100, solved=False)
    while curriculum.next_task() != "late":
        opened(curriculum, 1)
    curriculum.opened("late")
    assert "late" not in opened(curriculum, 24)
    curriculum.finished("late", solved=True)
    assert "late" in opened(curriculum, 12)


def test_a_task_that_becomes_interesting_does_not_catch_up_on_what_it_missed():
    curriculum = Curriculum(plain("a", "b"), seed=0)
    for i in range(48):
        curriculum.finished("a", solved=i % 20 == 0)
    opened(curriculum, 400)
    for i in range(48):
        curriculum.finished("a", solved=i % 2 == 0)
    assert Counter(opened(curriculum, 20))["a"] in (9, 10, 11)


def test_phase_1_opens_four_recommended_groups_to_one_optional_and_none_to_avoid():
    curriculum = Curriculum(labelled(recommended=3, optional=5, avoid=5), seed=0)
    tasks = opened(curriculum, 100)
    assert labels(tasks) == {"recommended": 80, "optional": 20}
    for count in range(1, 101):
        assert abs(labels(tasks[:count])["recommended"] - 0.8 * count) < 1
    assert set(tasks) == {f"recommended{i}" for i in range(3)} | {f"optional{i}" for i in range(5)}


@pytest.mark.parametrize(
    ("solved", "fits", "phase"), [(True, True, 2), (True, None, 2), (True, False, 1), (False, True, 1)]
)
def test_phase_2_begins_when_half_of_the_last_episodes_are_solved_with_the_debugger_used_as_asked(solved, fits, phase):
    curriculum = Curriculum(labelled(recommended=2, optional=1, avoid=2), seed=0)
    finish(curriculum, "optional0", ADVANCE_EPISODES // 2, solved=False)
    finish(curriculum, "recommended0", ADVANCE_EPISODES // 2 - 1)
    assert curriculum.phase == 1
    curriculum.finished("recommended1", solved, fits)
    assert curriculum.phase == phase
    shares = {1: {"recommended": 80, "optional": 20}, 2: {"recommended": 60, "optional": 20, "avoid": 20}}
    assert labels(opened(curriculum, 100)) == shares[phase]


def test_a_label_without_tasks_leaves_its_share_to_the_others():
    assert labels(opened(Curriculum(labelled(optional=2, avoid=2), seed=0), 10)) == {"optional": 10}
    only_avoid = Curriculum(labelled(avoid=2), seed=0)
    assert only_avoid.phase == 2
    assert labels(opened(only_avoid, 10)) == {"avoid": 10}


def graded(*difficulties, category="c", debugger="recommended"):
    return [CurriculumTask(f"{category}{d}{debugger[0]}", category, d, debugger) for d in difficulties]


def test_difficulty_rises_within_a_category_as_it_is_mastered_and_in_no_other():
    curriculum = Curriculum([*graded(2, 3, 5), *graded(1, 2, category="d")], seed=0)
    assert set(opened(curriculum, 20)) == {"c2r", "d1r"}
    finish(curriculum, "c2r", RISE_EPISODES // 2, solved=False)
    finish(curriculum, "c2r", RISE_EPISODES // 2 - 1)
    assert curriculum.levels == {"c": 2, "d": 1}
    curriculum.finished("c2r", solved=True)
    assert curriculum.levels == {"c": 3, "d": 1}
    assert set(opened(curriculum, 20)) == {"c2r", "c3r", "d1r"}
    finish(curriculum, "c2r", 100)  # easier than the level: says nothing about it
    assert curriculum.levels["c"] == 3
    finish(curriculum, "c3r", RISE_EPISODES)
    assert curriculum.levels["c"] == 5
    finish(curriculum, "c5r", 100)
    assert curriculum.levels == {"c": 5, "d": 1}


def test_difficulty_does_not_rise_on_fixes_without_the_debugger_that_was_asked_for():
    curriculum = Curriculum(graded(1, 2), seed=0)
    finish(curriculum, "c1r", 100, fits=False)
    assert curriculum.levels == {"c": 1}
    finish(curriculum, "c1r", RISE_EPISODES // 2, fits=True)
    assert curriculum.levels == {"c": 2}


def test_tasks_that_open_join_the_line_where_it_begins():
    curriculum = Curriculum(graded(1, 2), seed=0)
    opened(curriculum, 100)
    finish(curriculum, "c1r", RISE_EPISODES // 2)
    finish(curriculum, "c1r", RISE_EPISODES // 2, solved=False)
    finish(curriculum, "c1r", RISE_EPISODES // 2)
    assert Counter(opened(curriculum, 20)) == {"c1r": 10, "c2r": 10}


def test_the_easiest_of_a_label_in_a_category_are_open_from_the_beginning():
    curriculum = Curriculum([*graded(1, 2), *graded(3, 4, debugger="optional")], seed=0)
    assert set(opened(curriculum, 20)) == {"c1r", "c3o"}


def test_an_unknown_task_in_the_log_is_no_obstacle():
    curriculum = Curriculum(plain("a"), seed=0)
    curriculum.opened("gone")
    curriculum.finished("gone", solved=True)
    assert curriculum.success("gone") == 0.5
    assert curriculum.next_task() == "a"
