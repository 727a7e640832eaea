import pytest
from quiz import Pool, PoolEmpty, Sheet, TemplateError, fill_in_turn, read_template

MATHS = "1 | 2 + 3 | 5\n2 | 6 x 7 | 42\n1 | 9 - 4 | 5\n2 | 5 x 5 | 25"


def template(text):
    return read_template(text, Pool.read("maths", MATHS))


def test_single_sheet():
    sheet = Sheet("Ada", template("# Sums\npick 1 maths\npick 1 maths level 2\ntext Well done"))
    assert sheet.complete() == ["SUMS", "1. 2 + 3", "2. 6 x 7", "(Well done)"]
    assert (sheet.answer("5"), sheet.answer("41"), sheet.points()) == (True, False, 1)


def test_one_after_the_other():
    made = template("repeat 2\n pick 1 maths level 1\nend")
    assert made.num_questions() == 2
    assert [Sheet(name, made).complete() for name in "ab"] == [["1. 2 + 3", "2. 9 - 4"]] * 2


def test_side_by_side():
    made = template("pick 2 maths\n# End")
    filled = fill_in_turn([Sheet("Ada", made), Sheet("Ben", made)])
    assert filled == {"Ada": ["1. 2 + 3", "2. 6 x 7", "END"], "Ben": ["1. 2 + 3", "2. 6 x 7", "END"]}


def test_too_few_questions():
    with pytest.raises(PoolEmpty, match="pool maths has no more questions of level 2"):
        Sheet("Ada", template("pick 3 maths level 2")).complete()


def test_unreadable_templates():
    for text, message in (("pick two", "line 1: 'pick two'"), ("repeat 2", "repeat without end"), ("end", "line 1")):
        with pytest.raises(TemplateError, match=message):
            template(text)
