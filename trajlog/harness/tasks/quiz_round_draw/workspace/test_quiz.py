import pytest
from quiz import OutOfQuestions, Question, Show

STOCK = [Question(n, "music" if n % 2 else "rivers", 10 * (n % 3 + 1)) for n in range(1, 13)]


def numbers(drawn):
    return [question.number for question in drawn]


def test_round_asks_each_question_once():
    show = Show(STOCK, seed=4)
    assert sorted(numbers(show.draw_round(12))) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]


def test_topic_is_kept():
    show = Show(STOCK, seed=1)
    assert {question.topic for question in show.draw_round(3, "rivers")} == {"rivers"}


def test_too_few_left():
    show = Show(STOCK, seed=1)
    with pytest.raises(OutOfQuestions):
        show.draw_round(7, "music")
    assert show.rounds == []


def test_final_takes_a_dear_question():
    assert Show(STOCK, seed=3).final().points == 30
