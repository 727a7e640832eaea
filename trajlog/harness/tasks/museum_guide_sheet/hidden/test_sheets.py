import pytest
from guide import read_sheet
from lines import SheetError

SHEET = """== Night
capacity = 8
language = de
@ Hall 5
- lights off
- mind the step
@ Crypt 20
- hold hands
== Children
@ Dinosaurs 15
@ Hall 3
- count heads
@ Shop 10
"""


def flat(tours):
    return [(t.title, t.capacity, [(s.room, s.minutes, s.remarks) for s in t.stops]) for t in tours]


def test_remarks_and_the_next_stop():
    assert flat(read_sheet(SHEET)) == [
        ('Night', 8, [('Hall', 5, ['lights off', 'mind the step']), ('Crypt', 20, ['hold hands'])]),
        ('Children', 15, [('Dinosaurs', 15, []), ('Hall', 3, ['count heads']), ('Shop', 10, [])]),
    ]


def test_blank_lines_change_nothing():
    spaced = SHEET.replace("\n", "\n\n# ---\n")
    assert flat(read_sheet(spaced)) == flat(read_sheet(SHEET))
    assert [tour.minutes(walk=1) for tour in read_sheet(spaced)] == [26, 30]


def test_blank_lines_in_some_places():
    text = "== X\nlanguage = it\n\n@ A 1\n- r\n\n@ B 2\n@ C 3\n\n- s\n== Y\n@ D 4\n"
    assert flat(read_sheet(text)) == [
        ('X', 15, [('A', 1, ['r']), ('B', 2, []), ('C', 3, ['s'])]), ('Y', 15, [('D', 4, [])]),
    ]


def test_remark_before_the_first_stop():
    numbers = []
    for text in ("== X\ncapacity = 3\n- lost\n@ A 1", "# sheet\n\n== X\n\n- lost\n@ A 1\n"):
        with pytest.raises(SheetError) as caught:
            read_sheet(text)
        numbers.append((caught.value.number, str(caught.value)))
    assert numbers == [(3, 'line 3: a remark without a stop'), (5, 'line 5: a remark without a stop')]
