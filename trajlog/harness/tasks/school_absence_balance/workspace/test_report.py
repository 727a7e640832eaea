import pytest
from forms import Form
from letters import letters
from register import Register, RegisterError
from report import Report


@pytest.fixture
def register():
    made = Register(weeks=12)
    made.enter(1, "ada", "maths", 2)
    made.enter(3, "ada", "sport", 1, excused=True)
    made.enter(4, "ben", "sport", 4)
    return made


@pytest.fixture
def form():
    return Form("7b", ["ada", "ben"], {"maths": 3, "sport": 2})


def test_left_over(form, register):
    assert dict(Report(form, register).left("ada")) == {"maths": 1, "sport": 2}


def test_ben_is_over(form, register):
    report = Report(form, register)
    assert report.over() == ["ben"]
    assert report.lines() == ["Form 7b", "ada: maths +1  sport +2", "ben: maths +3  sport -2  !sport"]


def test_until(form, register):
    assert (letters(form, register, until=3), Report(form, register, until=3).share_used()) == ([], 20)


def test_wrong_week():
    with pytest.raises(RegisterError, match="week 13"):
        Register(weeks=12).enter(13, "ada", "maths")


def test_weekly(register):
    assert register.weekly("sport") == [0, 0, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0]
