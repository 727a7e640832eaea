import pytest
from painter import Document, EditError, Painter
from painter.folds import folds
from painter.output import letters, to_html

CODE = """let x = 12 in
(* a
   b (* c *)
*)
if x then "yes ${name}" else None"""


def painted(document):
    painter = Painter(document)
    return [letters(painter, number) for number in range(len(document))]


def test_letters():
    assert painted(Document(CODE)) == [
        'kkk - - nn kk', 'cccc', 'cccccccccccc', 'cc', 'kk - kkkk ssssshh----hs kkkk tttt',
    ]


def test_html():
    painter = Painter(Document(CODE))
    assert (to_html(painter, 0), to_html(painter, 4)) == (
        '<i class="blue">let</i> x = 12 <i class="blue">in</i>',
        '<i class="blue">if</i> x <i class="blue">then</i> <i class="red">"yes </i><i '
        'class="orange">${</i>name<i class="orange">}</i><i class="red">"</i> <i '
        'class="blue">else</i> <i class="green">None</i>',
    )


def test_comment_opened_and_closed():
    document = Document(CODE)
    painter = Painter(document)
    painter.all()
    document.set_line(3, "b")
    assert letters(painter, 4) == "c" * 33
    document.set_line(3, "*)")
    assert letters(painter, 4)[:9] == "kk - kkkk"


def test_nested_comment_opened():
    document = Document(CODE)
    painter = Painter(document)
    painter.all()
    document.type(1, 4, " (*")
    assert painter.all() == Painter(document).all()
    assert letters(painter, 4) == "c" * 33


def test_only_edited_lines_are_read():
    document = Document(CODE)
    painter = Painter(document)
    painter.all()
    document.set_line(0, "let xyz = 1 in")
    document.insert(1, "", "type T")
    painter.all()
    assert painter.num_read == 8


def test_folds_and_errors():
    document = Document(CODE)
    assert folds(Painter(document), 5) == [(1, 3, "comment")]
    with pytest.raises(EditError, match="lines 5 to 7 of 5"):
        document.delete(5, 2)
