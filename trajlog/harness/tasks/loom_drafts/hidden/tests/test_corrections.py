from cloth import weave
from draft import Draft
from library import Library


def test_mirror_and_correct():
    first = Draft.of("xx.. .xx. ..xx")
    made = first.mirror()
    made.lift(1, 4)
    made.drop(4, 3)
    assert (made.text().split(), first.text().split()) == (
        ['xx.x', '.xx.', '..xx', '.x..', 'xx..'], ['xx..', '.xx.', '..xx'],
    )


def test_part_and_source_are_apart():
    whole = Draft.of("x... .x.. ..x. ...x")
    middle = whole.part(2, 3)
    middle.lift(1, 1)
    whole.lift(3, 4)
    assert (middle.text().split(), whole.text().split()) == (['xx..', '..x.'], ['x...', '.x..', '..xx', '...x'])


def test_join_takes_no_rows_along():
    left, right = Draft.of("x.. .x."), Draft.of("..x")
    both = left.join(right).join(left)
    both.lift(1, 3)
    both.lift(3, 1)
    right.drop(1, 3)
    assert [draft.text().split() for draft in (left, right, both)] == [
        ['x..', '.x.'], ['...'], ['x.x', '.x.', 'x.x', 'x..', '.x.'],
    ]


def test_library_keeps_its_blocks():
    library = Library()
    library.compose("twill twill~").lift(1, 4)
    library.compose("twill").drop(2, 2)
    library.block("plain").lift(1, 2)
    assert [weave(library.block(name), 4) for name in library.names()] == [
        ['##--', '##--', '--##', '--##'], ['#-#-', '-#-#'], ['##--', '-##-', '--##', '#--#'],
    ]


def test_callers_lists_are_not_kept():
    rows = [[1, 0], [0, 1]]
    draft = Draft(2, rows)
    draft.lift(1, 2)
    rows[1][0] = 1
    assert (rows, draft.text().split()) == ([[1, 0], [1, 1]], ['xx', '.x'])
