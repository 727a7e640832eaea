import pytest
from kitchen.book import Book
from kitchen.recipes import RecipeError
from kitchen.shopping import Plan

TEXT = """
# Sauce (4)
500 g tomatoes
20 ml oil

# Pasta (2)
250 g noodles
10 ml oil
@ Sauce (2)

# Salad (2)
0.5 kg tomatoes
2 eggs
"""


@pytest.fixture
def book():
    return Book().read(TEXT)


def test_cards(book):
    assert book.find("Pasta").card(4) == ["Pasta for 4", "500 g noodles", "20 ml oil"]
    assert book.find("Salad").card() == ["Salad for 2", "0.5 kg tomatoes", "2 eggs"]


def test_list_for_more_servings(book):
    plan = Plan(book)
    plan.add("Pasta", 6)
    assert plan.shopping_list() == ["noodles: 750 g", "oil: 60 ml", "tomatoes: 750 g"]


def test_list_twice(book):
    plan = Plan(book)
    plan.add("Pasta", 2)
    plan.add("Pasta", 2)
    assert [plan.shopping_list(), plan.shopping_list()] == [
        ["noodles: 500 g", "oil: 40 ml", "tomatoes: 500 g"], ["noodles: 500 g", "oil: 40 ml", "tomatoes: 500 g"]
    ]


def test_card_after_a_list(book):
    plan = Plan(book)
    for _ in range(2):
        plan.add("Sauce", 4)
    plan.totals()
    assert book.find("Sauce").card() == ["Sauce for 4", "500 g tomatoes", "20 ml oil"]


def test_unknown_recipe(book):
    with pytest.raises(RecipeError, match="no recipe 'Soup'"):
        Plan(book).add("Soup", 2)
