import pytest
from taxform import FormError, parse_form

FORM = """
1   A = input
1a  B = input
1b  C = 1A + 1
2   D = 10% of 1b - 1a
2z  E = max(1..2, 2, €7)
3   F = sum(1a..2) - sum(1..1B)
10  G = 3 + 2Z
"""


def test_ranges_with_letters():
    values = parse_form(FORM).fill({"1": "10", "1a": "5.05"})
    assert values == {"1": 1000, "1a": 505, "1b": 1505, "2": -355, "2z": 1505, "3": -1355, "10": 150}


def test_amounts_and_lines():
    form = parse_form("1 A = input\n3 B = 1 + 2 + 3.50 + €1 + €3\n3a C = 3 + 4\n4c D = 3A + 5")
    assert form.fill({"1": "100"}) == {"1": 10000, "3": 10950, "3a": 11350, "4c": 11850}


def test_unknown_lines():
    messages = []
    for text in ("1 A = 1b", "1 A = 2\n2 B = 2ab", "1 A = 3 x", "1 A = sum(1..x)", "5a A = 5A + 1"):
        with pytest.raises(FormError) as caught:
            parse_form(text).fill({})
        messages.append(str(caught.value))
    assert messages == [
        'line 1: no line 1b', "line 2: unexpected '2'", "line 1: unexpected 'x'",
        "line 1: no line 'x'", 'line 5a: 5a -> 5a goes in a circle',
    ]


def test_order_of_lines():
    form = parse_form("10 J = 2a + 9b\n9B I = input, at most 2A\n2a B = input;\n2 A = 2A,")
    assert (form.names(), form.fill({"9b": "50", "2a": "20"})) == (
        ['2', '2a', '9b', '10'], {'2a': 2000, '2': 2000, '9b': 2000, '10': 4000},
    )


def test_text_and_limits():
    form = parse_form("7 Base = input\n7a Part = 33.3 % of 7, at least 7b; at most 7c;\n7b Low = 5\n7c High = 50.5")
    found = [form.text({"7": amount}).splitlines()[1] for amount in ("9", "100", "1,000")]
    assert found == [
        '  7a  Part                              5.00', '  7a  Part                             33.30',
        '  7a  Part                             50.50',
    ]
