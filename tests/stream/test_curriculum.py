from collections import Counter

from trajlog.stream.curriculum import Curriculum


def opened(curriculum, count):
    tasks = []
    for _ in range(count):
        tasks.append(curriculum.next_task())
        curriculum.opened(tasks[-1])
    return tasks


def test_every_task_comes_once_a_round_in_an_order_of_the_seed():
    names = [f"t{i}" for i in range(6)]
    tasks = opened(Curriculum(names, seed=1), 18)
    rounds = [tasks[i : i + 6] for i in (0, 6, 12)]
    assert all(sorted(one) == names for one in rounds)
    assert rounds[0] != rounds[1]
    assert tasks == opened(Curriculum(names, seed=1), 18)
    assert tasks != opened(Curriculum(names, seed=2), 18)


def test_the_estimate_starts_at_one_half_and_follows_the_last_episodes():
    curriculum = Curriculum(["t"], seed=0)
    assert curriculum.success("t") == 0.5
    curriculum.finished("t", solved=True)
    assert curriculum.success("t") == 2 / 3
    for _ in range(1000):
        curriculum.finished("t", solved=False)
    assert curriculum.success("t") == 1 / 50


def test_tasks_solved_sometimes_come_three_times_as_often():
    curriculum = Curriculum(["never", "sometimes", "always"], seed=0)
    for i in range(40):
        curriculum.finished("never", solved=False)
        curriculum.finished("always", solved=True)
        curriculum.finished("sometimes", solved=i % 2 == 0)
    assert Counter(opened(curriculum, 50)) == {"sometimes": 30, "never": 10, "always": 10}


def test_a_task_that_becomes_interesting_does_not_catch_up_on_what_it_missed():
    curriculum = Curriculum(["a", "b"], seed=0)
    for _ in range(48):
        curriculum.finished("a", solved=False)
    opened(curriculum, 400)
    for i in range(48):
        curriculum.finished("a", solved=i % 2 == 0)
    assert Counter(opened(curriculum, 20))["a"] in (9, 10, 11)


def test_an_unknown_task_in_the_log_is_no_obstacle():
    curriculum = Curriculum(["a"], seed=0)
    curriculum.opened("gone")
    curriculum.finished("gone", solved=True)
    assert curriculum.next_task() == "a"
