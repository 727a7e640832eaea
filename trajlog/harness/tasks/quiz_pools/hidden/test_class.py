from quiz import Pool, Sheet, fill_in_turn, read_template

MUSIC = "1 | keys of a piano | 88\n1 | lines of a staff | 5\n3 | strings of a cello | 4\n2 | beats of a waltz | 3"
TEXT = "pick 1 music\nrepeat 2\n  text Next\n  pick 1 music level 1\nend\npick 1 music"


def made(text, extra=""):
    return read_template(text, Pool.read("music", MUSIC + extra))


def test_three_pupils_in_turn():
    template = made("# Music\npick 2 music\npick 1 music level 2")
    assert fill_in_turn([Sheet(name, template) for name in ("Ada", "Ben", "Cy")]) == {
        'Ada': ['MUSIC', '1. keys of a piano', '2. lines of a staff', '3. beats of a waltz'],
        'Ben': ['MUSIC', '1. keys of a piano', '2. lines of a staff', '3. beats of a waltz'],
        'Cy': ['MUSIC', '1. keys of a piano', '2. lines of a staff', '3. beats of a waltz'],
    }


def test_sheet_started_in_the_middle_of_another():
    template = made("pick 4 music")
    first, second = Sheet("Ada", template), Sheet("Ben", template)
    first.step()
    first.step()
    second.step()
    first.step()
    first.complete()
    assert (first.lines(), second.complete()) == (
        ['1. keys of a piano', '2. lines of a staff', '3. strings of a cello', '4. beats of a waltz'],
        ['1. keys of a piano', '2. lines of a staff', '3. strings of a cello', '4. beats of a waltz'],
    )


def test_given_up_sheet():
    template = made(TEXT, "\n1 | holes of a recorder | 8")
    given_up = Sheet("Ada", template)
    given_up.step()
    given_up.step()
    whole = Sheet("Ben", template).complete()
    given_up.step()
    assert (whole, given_up.lines(), template.num_questions()) == (
        ['1. keys of a piano', '(Next)', '2. lines of a staff', '(Next)', '3. holes of a recorder',
        '4. strings of a cello'],
        ['1. keys of a piano', '(Next)', '2. lines of a staff', '(Next)', '3. holes of a recorder'],
        4,
    )


def test_no_question_twice_in_a_sheet():
    template = made("pick 1 music level 1\npick 1 music\npick 2 music")
    sheets = [Sheet(name, template) for name in ("Ada", "Ben")]
    filled = fill_in_turn(sheets)
    for sheet in sheets:
        for answer in ("88", "5", "4", "7"):
            sheet.answer(answer)
    assert ([sheet.points() for sheet in sheets], filled["Ben"]) == (
        [5, 5],
        ['1. keys of a piano', '2. lines of a staff', '3. strings of a cello', '4. beats of a waltz'],
    )
