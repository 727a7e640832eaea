import json

import pytest

from trajlog.errors import ConfigError
from trajlog.learner.examples import draw, fitting, load_examples, make_example, split_by_task


def test_positions_and_cut():
    example = make_example([5, 6, 7, 8, 9], [1, 0, 1, 1, 0])
    assert example.positions.tolist() == [2, 3]
    assert example.token_ids.tolist() == [5, 6, 7, 8]


def test_files_in_order_with_line_separators_inside_strings(tmp_path):
    rows = [{"token_ids": [1, 2, n], "assistant_masks": [0, 1, 1], "messages": ["\u2028"]} for n in range(3)]
    (tmp_path / "b.jsonl").write_text(json.dumps(rows[2], ensure_ascii=False) + "\n", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(
        "\n".join(json.dumps(r, ensure_ascii=False) for r in rows[:2]) + "\n", encoding="utf-8"
    )
    assert [e.token_ids[-1].item() for e in load_examples(tmp_path)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"token_ids": [1, 2]}', "assistant_masks"),
        ('{"token_ids": [1, 2], "assistant_masks": [0]}', "2 token_ids beside 1"),
        ('{"token_ids": [1, 2], "assistant_masks": [1, 0]}', "marks no token"),
        ("{", "line 2"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    (tmp_path / "a.jsonl").write_text('{"token_ids": [1, 2], "assistant_masks": [0, 1]}\n' + line + "\n")
    with pytest.raises(ConfigError, match=message):
        load_examples(tmp_path)


def test_an_empty_or_missing_folder_says_how_to_fill_it(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(ConfigError, match="trajlog replay sft"):
            load_examples(folder)


def test_draws_are_a_function_of_seed_and_step():
    examples = [make_example([1, n], [0, 1]) for n in range(20)]
    first, again, other = (draw(examples, 4, 0, step) for step in (1, 1, 2))
    assert [id(e) for e in first] == [id(e) for e in again] != [id(e) for e in other]
    assert len(draw(examples[:2], 4, 0, 1)) == 2
    assert fitting([make_example([1, 2, 3], [0, 1, 1]), examples[0]], 2)[0] is examples[0]


def tasks(examples):
    return {example.task_id for example in examples}


def of_tasks(*names):
    return [make_example([1, 2], [0, 1], name) for name in names]


@pytest.mark.parametrize(("share", "count"), [(0.001, 1), (0.25, 5), (0.5, 10), (0.99, 19)])
def test_whole_tasks_are_held_out_and_every_example_is_on_one_side(share, count):
    examples = of_tasks(*(f"t{i % 20}" for i in range(70)))
    training, held_out = split_by_task(examples, share, seed=3)
    assert len(tasks(held_out)) == count
    assert not tasks(training) & tasks(held_out)
    assert sorted(map(id, training + held_out)) == sorted(map(id, examples))


def test_the_same_tasks_are_held_out_however_many_examples_they_have():
    names = [f"t{i}" for i in range(20)]
    few, many = of_tasks(*names), of_tasks(*reversed(names), *names[:7])
    assert tasks(split_by_task(few, 0.3, seed=1)[1]) == tasks(split_by_task(many, 0.3, seed=1)[1])
    assert tasks(split_by_task(few, 0.3, seed=1)[1]) != tasks(split_by_task(few, 0.3, seed=2)[1])


def test_without_two_tasks_nothing_can_be_held_out():
    assert split_by_task(of_tasks("a", "a"), 0.0, seed=0)[1] == []
    with pytest.raises(ConfigError, match=r"one task \(a\): no task can be held out"):
        split_by_task(of_tasks("a", "a"), 0.1, seed=0)
    with pytest.raises(ConfigError, match="examples without a task_id"):
        split_by_task(of_tasks("a", "b", ""), 0.1, seed=0)


def test_the_task_of_a_line_is_read(tmp_path):
    rows = [{"token_ids": [1, 2], "assistant_masks": [0, 1], "task_id": name} for name in ("a", "b")]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [example.task_id for example in load_examples(tmp_path)] == ["a", "b"]
