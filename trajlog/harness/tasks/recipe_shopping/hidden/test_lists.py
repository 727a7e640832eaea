from kitchen.book import Book
from kitchen.shopping import Plan

TEXT = """
# Dough (8)
1 kg flour
0.5 l water
# Filling (4)
300 g apples
50 g flour
# Pie (8)
@ Dough (8)
@ Filling (4)
3 eggs
# Pancakes (3)
150 g flour
250 ml water
3 eggs
"""


def planned(*meals):
    book = Book().read(TEXT)
    plan = Plan(book)
    for title, servings in meals:
        plan.add(title, servings)
    return book, plan


def test_unit_on_the_card():
    book, plan = planned(("Dough", 8), ("Pancakes", 6))
    assert plan.shopping_list(pantry=["eggs"]) == ["flour: 1300 g", "water: 1000 ml"]
    assert book.find("Dough").card() == ["Dough for 8", "1 kg flour", "0.5 l water"]


def test_unit_of_a_later_recipe():
    book, plan = planned(("Pancakes", 6), ("Dough", 8))
    plan.shopping_list()
    assert book.find("Dough").card(16) == ["Dough for 16", "2 kg flour", "1 l water"]
    assert plan.shopping_list() == ["eggs: 6", "flour: 1300 g", "water: 1000 ml"]


def test_parts_with_their_own_servings():
    book, plan = planned(("Pie", 8), ("Pie", 4))
    lists = [plan.shopping_list() for _ in range(3)]
    assert lists[0] == ["apples: 450 g", "eggs: 4.5", "flour: 1575 g", "water: 0.75 l"]
    assert [lists[1] == lists[0], lists[2] == lists[0]] == [True, True]
    assert book.find("Filling").card() == ["Filling for 4", "300 g apples", "50 g flour"]


def test_earlier_totals_stay():
    book, plan = planned(("Pancakes", 3))
    first = plan.totals()
    plan.add("Pancakes", 3)
    second = plan.totals()
    first["eggs"] *= 10
    texts = [str(totals[name]) for totals in (first, second) for name in ("flour", "eggs")]
    assert texts == ["150 g", "30", "300 g", "6"]
    assert book.find("Pancakes").card(1)[1:] == ["50 g flour", "83.3333 ml water", "1 eggs"]
