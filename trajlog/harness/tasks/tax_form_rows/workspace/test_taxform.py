import pytest
from taxform import FormError, parse_form

PLAIN = """
# a small form
1  Wages        = input
2  Interest     = input, at least 0
3  Income       = 1 + 2
4  Allowance    = min(3, €1,000;)
5  Tax          = 20% of (3 - 4), at least 0, at most 5000.00;
"""
LETTERS = """
4   Rent paid          = input
4a  Repairs            = input
5   Interest           = input
6   Fees               = input
12  Wages              = input
12a of these abroad    = input, at most 12
13  Deductible         = sum(4..6) + 5% of 12a
"""


def test_plain_form():
    form = parse_form(PLAIN)
    assert form.fill({"1": "20,000", "2": "150.55"}) == {
        '1': 2000000, '2': 15055, '3': 2015055, '4': 100000, '5': 383011,
    }
    assert form.text({"1": "900"}).splitlines()[-1] == "   5  Tax                               0.00"


def test_line_with_a_letter():
    values = parse_form(LETTERS).fill({"4": "100", "4A": "20.50", "6": "3", "12": "1000", "12a": "400"})
    assert (values["12a"], values["13"]) == (40000, 14350)


def test_circle():
    with pytest.raises(FormError, match="line 1: 1 -> 2 -> 1 goes in a circle"):
        parse_form("1 A = 2\n2 B = 1").fill({})


def test_errors():
    messages = []
    for text in ("1 A = 5 6", "1 A = max()", "1 A = 5% 1", "1 A", "1 A = 2\n1 B = 3"):
        with pytest.raises(FormError) as caught:
            parse_form(text)
        messages.append(str(caught.value))
    assert messages == [
        "line 1: unexpected '6'", 'line 1: nothing in brackets', "line 1: 'of' expected, not '1'",
        "not a line: '1 A'", 'line 1: given twice',
    ]
