import pytest
from grading.curve import Curve, CurveError, parse_curve
from grading.exam import Exam, Question, SheetError, read_sheets
from grading.report import summary, table
from grading.results import Results, histogram

CURVE = "0:1.0 20:3.0 40:4.5 60:6.0"
EXAM = Exam([Question("q1", 20), Question("q2", 30, 5), Question("q3", 10)])
CLASS = ["Ann: q1=1 q2=0.5", "Bob: q1=0.5 q2=- q3=0.2", "Eve: q1=0.6 q2=0.9 q3=0.5 !1"]


def test_grades_between_points():
    curve = parse_curve(CURVE)
    assert [curve.grade(score) for score in (10, 12.5, 30, 47, 59)] == [2.0, 2.3, 3.8, 5.0, 5.9]


def test_empty_and_negative_sheets():
    results = Results(EXAM, parse_curve(CURVE), read_sheets(["Max: q1=- q2=-", "Kim: q2=0 !3", "Ann: q1=1 q2=0.5"]))
    assert results.grades() == {"Max": 1.0, "Kim": 1.0, "Ann": 4.1}


def test_table():
    results = Results(EXAM, parse_curve(CURVE), read_sheets(CLASS))
    assert table(results) == [" 1. Eve       43.0  4.7", " 2. Ann       35.0  4.1", " 3. Bob       12.0  2.2"]
    assert summary(results) == "3 sheets, 2 passed, mean 3.67, median 4.1"


def test_histogram():
    assert histogram([1.4, 2.6, 3.3, 3.4, 5.5], [1, 2, 3, 4, 5, 6]) == [1, 1, 2, 0, 1]


def test_errors():
    with pytest.raises(CurveError, match="must not fall"):
        Curve([(3, 1), (2, 2)])
    with pytest.raises(CurveError, match="no curve"):
        parse_curve("0:1 5")
    with pytest.raises(SheetError, match="Max: no question q9"):
        EXAM.score(next(read_sheets(["Max: q9=1"])))
