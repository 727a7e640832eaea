from grading.curve import Curve, parse_curve
from grading.exam import Exam, Question, read_sheets
from grading.report import bars, table
from grading.results import Results

CURVE = "0:1.0 20:3.0 40:4.5 60:6.0"


def test_on_and_beyond_the_points():
    curve = parse_curve(CURVE)
    assert [curve.grade(score) for score in (-7, -0.5, 0, 0.5, 20, 40, 59.9, 60, 61, 100)] == [
        1.0,
        1.0,
        1.0,
        1.1,
        3.0,
        4.5,
        6.0,
        6.0,
        6.0,
        6.0,
    ]


def test_steps():
    curve = Curve([(0, 1), (10, 2), (10, 4), (20, 5), (20, "5.5"), (30, 6)])
    assert [curve.grade(score) for score in (0, 9.9, 10, 10.1, 15, 19.9, 20, 25, 30)] == [
        1.0,
        2.0,
        4.0,
        4.0,
        4.5,
        5.0,
        5.5,
        5.8,
        6.0,
    ]


def test_step_at_either_end():
    curve = Curve([(5, 1), (5, 2), (15, 4), (15, 6)])
    assert [curve.grade(score) for score in (4.9, 5, 10, 14.9, 15, 16)] == [1.0, 2.0, 3.0, 4.0, 6.0, 6.0]


def test_lowest_score_for_a_grade():
    curve = parse_curve(CURVE)
    scores = [curve.score_for(grade, 60) for grade in (1.0, 1.1, 4.0, 4.5, 5.95, 6.0, 6.1)]
    assert scores == [0, 1, 33, 40, 60, 60, None]
    assert [curve.shifted(5).score_for(grade, 55) for grade in (1.5, 6.0)] == [0, 55]


def test_class_with_extremes():
    exam = Exam([Question("a", 40, 4), Question("b", 20)])
    lines = ["Zoe: a=1 b=1", "Ada: a=0 b=-", "Lea: a=1 b=0", "Tom: a=0.5 b=1", "Ira: a=- b=-"]
    results = Results(exam, parse_curve(CURVE), read_sheets(lines))
    assert table(results) == [
        " 1. Zoe       60.0  6.0",
        " 2. Lea       40.0  4.5",
        " 2. Tom       40.0  4.5",
        " 4. Ada       -4.0  1.0",
        " 4. Ira        0.0  1.0",
    ]
    assert bars(results, [1, 3, 4.5, 6]) == ["1-3 ##", "3-4.5", "4.5-6 ###"]
