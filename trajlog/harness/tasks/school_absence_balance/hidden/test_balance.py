from forms import Form
from letters import letters
from register import Register
from report import Report


def make():
    form = Form("9a", ["cleo", "dan", "eve"], {"art": 2, "latin": 4})
    register = Register(weeks=10)
    for week, pupil, subject, lessons in (
        (1, "cleo", "latin", 4), (2, "cleo", "art", 3), (2, "dan", "latin", 1), (5, "eve", "chess", 2),
        (6, "dan", "art", 2), (9, "dan", "latin", 6),
    ):
        register.enter(week, pupil, subject, lessons)
    return form, register


def test_zeros_and_subjects_without_allowance():
    form, register = make()
    assert [row.left for row in Report(form, register).rows()] == [
        {'art': -1, 'latin': 0}, {'art': 0, 'latin': -3}, {'art': 2, 'chess': -2, 'latin': 4},
    ]


def test_reports_do_not_change_the_allowance():
    form, register = make()
    first = Report(form, register).lines()
    assert Report(form, register).lines() == first
    assert first == [
        'Form 9a',
        'cleo: art -1  latin +0  !art',
        'dan: art +0  latin -3  !latin',
        'eve: art +2  chess -2  latin +4  !chess',
    ]
    assert (dict(form.allowance), form.total()) == ({'art': 2, 'latin': 4}, 6)


def test_asking_twice():
    form, register = make()
    report = Report(form, register, until=6)
    assert [dict(report.left("dan")), dict(report.left("dan")), report.over(), report.share_used()] == [
        {'art': 0, 'latin': 3}, {'art': 0, 'latin': 3}, ['cleo', 'eve'], 67,
    ]


def test_letters():
    form, register = make()
    texts = letters(form, register)
    assert texts == letters(form, register)
    assert [text.split(", ")[1] for text in texts] == [
        '1 lessons of art were missed without leave.',
        '3 lessons of latin were missed without leave.',
        '2 lessons of chess were missed without leave.',
    ]
