import pytest
from menu.card import Card, WeekCard, two_languages
from menu.catalogue import CatalogueError
from menu.store import Store
from menu.translator import Translator

DE = "# Speisen\nSoups = Suppen\nleek soup = Lauchsuppe\ncod = Kabeljau\ncod = Dorsch\nplum cake = Zwetschgenkuchen"
AT = "leek soup = Porreesuppe\nplum cake = Zwetschkenfleck"


@pytest.fixture
def store():
    return Store({"de": DE, "de-at": AT})


def test_card(store):
    card = Card({"Soups": [("leek soup", 450)], "Fish": [("cod", 1290)]})
    assert card.lines(Translator(store), "de", 20) == [
        '-- Suppen --', 'Lauchsuppe......4.50', '-- Fish* --', 'Kabeljau.......12.90',
    ]
    assert card.missing(Translator(store), "de") == []


def test_single_dishes(store):
    translator = Translator(store)
    assert [translator.dish(dish, "de") for dish in ("leek soup", "plum cake", "Soups")] == [
        'Lauchsuppe', 'Zwetschgenkuchen', 'Suppen',
    ]


def test_fallback(store):
    translator = Translator(store)
    assert [translator.dish(dish, "de-at") for dish in ("cod", "stew")] == ["Kabeljau", "stew*"]
    assert translator.coverage(["cod", "stew", "leek soup"], "de-at") == 67


def test_broken_line():
    with pytest.raises(CatalogueError, match="de, line 2: 'cod ='"):
        Translator(Store({"de": "ham = Schinken\ncod ="})).dish("tea", "de")


def test_top_of_a_long_catalogue():
    store = Store({"de": "ham = Schinken\n" + "x = y\n" * 500})
    assert (Translator(store).dish("ham", "de"), store.lines_read) == ('Schinken', 1)


def test_week_card(store):
    card = WeekCard({"Fish": [("cod", 1290)]}, {"friday": {"Fish": [("pike", 1450)], "Sweets": [("plum cake", 520)]}})
    assert card.all_dishes() == ["cod", "pike", "plum cake"]
    assert two_languages(card.on("monday"), Translator(store), "de", "en") == ["Kabeljau / cod*"]
