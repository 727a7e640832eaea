import pytest
from orders import OrderError, parse_order, tokens


def rows(text):
    return [item.row() for item in parse_order(text)]


def test_words_in_quotes():
    assert rows('3 "To" to bed 4; 2 "bed"; a dozen "Dozen"; 5 of "Of A kind";') == [
        (3, 'To', 4), (2, 'bed', None), (12, 'Dozen', None), (5, 'Of A kind', None),
    ]


def test_quotes_in_names():
    assert rows('1 "Rosa ""Peace""", 2 """x""" and 3 "a""b"') == [
        (1, 'Rosa "Peace"', None), (2, '"x"', None), (3, 'a"b', None),
    ]


def test_marks_and_digits_in_names():
    assert rows('7 "No. 12, red; tall" to bed 2 and 1 "50 % shade!"') == [
        (7, 'No. 12, red; tall', 2), (1, '50 % shade!', None),
    ]


def test_names_together():
    assert rows('4 Geranium "Rozanne" dwarf, 2 geranium "Rozanne" dwarf, 1 geranium rozanne dwarf') == [
        (6, 'geranium Rozanne dwarf', None), (1, 'geranium rozanne dwarf', None),
    ]


def test_columns():
    found = [(token.kind, token.column) for token in tokens('2 "a ""b"" c" TO bed')]
    errors = []
    for text in ('1 ""', '2 "open', '3 "a" "b" to "bed" 3'):
        with pytest.raises(OrderError) as caught:
            parse_order(text)
        errors.append(caught.value.column)
    assert (found, errors) == ([("number", 1), ("name", 3), ("to", 15), ("bed", 18), ("end", 21)], [3, 3, 14])
