import pytest
from parts.errors import SyntaxProblem
from parts.explode import needed, order_lines
from parts.parser import parse


def descriptions(source):
    return {name: part.description for name, part in parse(source).parts.items()}


def test_marks_in_texts():
    source = 'part a "(*"; part b "x *) y"; (* no "(* really *) *) part c "(* *)"; part d "*)(*";'
    assert descriptions(source) == {"a": "(*", "b": "x *) y", "c": "(* *)", "d": "*)(*"}


def test_quotes_in_comments():
    source = 'part a "one"; (* 3" pipe *) part b "two"; (* "(* odd "*) " *) part c; (* \\" *) part d "end";'
    assert descriptions(source) == {"a": "one", "b": "two", "c": "", "d": "end"}


def test_backslashes_in_texts():
    source = r'part a "3\" (* pipe"; part b "c:\\"; (* note *) part c "\"*)"; part d "x(*\\\" y*)";'
    assert descriptions(source) == {'a': '3" (* pipe', 'b': 'c:\\', 'c': '"*)', 'd': 'x(*\\" y*)'}


def test_lines_of_errors():
    messages = []
    for source in (
        'part a "(*\n";\n',
        "part a; (* one\ntwo (* three\n*)\n*) part\n\nb; ?",
        'part a "x";\n\n(* 3" (* "\n*) part b "*)";',
        'part a; (*\n\n*) part b "(*"; (*\n"*)" ; (* *)',
    ):
        with pytest.raises(SyntaxProblem) as caught:
            parse(source)
        messages.append((str(caught.value), caught.value.line))
    assert messages == [
        ('unclosed comment at line 1', 1), ("unexpected '?' at line 6", 6),
        ('unexpected \'"\' at line 4', 4), ('unexpected \'"\' at line 4', 4),
    ]


def test_comments_between_words():
    parts_list = parse('part(**)a"(* 1 *)";assembly(* "b *)c{2(* " *)x(*(**)*)a;}')
    assert (order_lines(parts_list, "c", 5), needed(parts_list, "c")) == (["    10 a ((* 1 *))"], {"a": 2})
