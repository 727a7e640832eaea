from painter import Document, Painter
from painter.folds import folds
from painter.output import letters


def shown(painter, document):
    return [letters(painter, number) for number in range(len(document))]


def test_closing_sign_deleted():
    document = Document("(* (* one\n*)\n*)\nlet y = true\n(* z *)")
    painter = Painter(document)
    painter.all()
    document.delete(1)
    seen = [shown(painter, document), folds(painter, 4)]
    document.undo()
    assert [*seen, shown(painter, document), folds(painter, 5)] == [
        ['ccccccccc', 'cc', 'cccccccccccc', 'ccccccc'], [(0, 3, 'comment')],
        ['ccccccccc', 'cc', 'cc', 'kkk - - cccc', 'ccccccc'], [(0, 2, 'comment')],
    ]


def test_brace_in_a_hole():
    document = Document('"a ${\n f {\n}\n b\n} c"\nlet k = 1')
    painter = Painter(document)
    first = shown(painter, document)
    document.set_line(1, " f")
    assert (first, shown(painter, document), painter.all() == Painter(document).all()) == (
        ['ssshh', ' - -', '-', ' -', 'hsss', 'kkk - - n'],
        ['ssshh', ' -', 'h', 'ss', 'ssss', 'kkk - - n'], True,
    )


def test_hole_in_a_hole():
    document = Document('"s ${ x\n+ y\n}" then\n}" end')
    painter = Painter(document)
    first = shown(painter, document)
    document.set_line(0, '"s ${ "t ${ x')
    assert (first, shown(painter, document), [painter.mode(number) for number in range(4)]) == (
        ['ssshh -', '- -', 'hs kkkk', '-sssss'], ['ssshh ssshh -', '- -', 'hs kkkk', 'hs kkk'],
        ['hole', 'hole', 'hole', 'code'],
    )


def test_comment_inside_a_hole():
    document = Document('"p ${ q (*\nr *)\n} s\nt"')
    painter = Painter(document)
    painter.all()
    document.set_line(0, 'v (*')
    seen = shown(painter, document)
    document.set_line(0, '"p ${ "q ${ (*')
    assert (seen, shown(painter, document), painter.all() == Painter(document).all()) == (
        ['- cc', 'cccc', '- -', '-s'], ['ssshh ssshh cc', 'cccc', 'hss', 'ss'], True,
    )


def test_number_of_lines_read():
    document = Document("(* (*\na\n*) b\n*)\n" + "\n".join(f"let n{i} = {i}" for i in range(20)))
    painter = Painter(document)
    painter.all()
    counts = [painter.num_read]
    document.set_line(0, "(* x (*")
    painter.all()
    counts.append(painter.num_read)
    document.set_line(0, "(*")
    painter.all()
    counts.append(painter.num_read)
    document.insert(3, "(*", "*)")
    painter.all()
    counts.append(painter.num_read)
    assert (counts, letters(painter, 3), letters(painter, 5)) == ([24, 25, 29, 31], 'cc', '--')
