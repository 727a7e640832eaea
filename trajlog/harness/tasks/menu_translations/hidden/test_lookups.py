import pytest
from menu.card import Card
from menu.catalogue import CatalogueError
from menu.store import Store
from menu.translator import Translator

FR = "\n".join(f"dish {number} = plat {number * 7}" for number in range(40))


def test_any_order():
    store = Store({"fr": FR})
    translator = Translator(store)
    names = ("dish 20", "dish 3", "dish 39", "dish 0", "dish 40", "dish 21")
    assert ([translator.dish(name, "fr") for name in names], set(store.opened)) == (
        ['plat 140', 'plat 21', 'plat 273', 'plat 0', 'dish 40*', 'plat 147'], {'fr'},
    )


def test_complete_catalogue_is_not_opened_again():
    store = Store({"fr": FR, "fr-ca": "dish 1 = le premier"})
    translator = Translator(store)
    seen = [translator.coverage(["dish 1", "dish 9", "tea"], "fr-ca")]
    seen += [translator.dish(name, "fr-ca") for name in ("dish 39", "dish 1", "tea")]
    assert (seen, sorted(store.opened), store.lines_read) == (
        [67, 'plat 273', 'le premier', 'tea*'], ['fr', 'fr-ca'], 41,
    )


def test_missing_dish_makes_it_complete():
    store = Store({"fr": FR})
    translator = Translator(store)
    seen = [translator.dish(name, "fr") for name in ("tea", "dish 30", "coffee")]
    assert (seen, store.opened, store.lines_read) == (['tea*', 'plat 210', 'coffee*'], ['fr'], 40)


def test_repaired_catalogue():
    store = Store({"fr": "ham = jambon\nleek\npear = poire"})
    translator = Translator(store)
    for name in ("pear", "tea"):
        with pytest.raises(CatalogueError):
            translator.dish(name, "fr")
    store.texts["fr"] = "ham = jambon cuit\nleek = poireau\npear = poire"
    assert [translator.dish(name, "fr") for name in ("pear", "leek", "ham", "tea")] == [
        'poire', 'poireau', 'jambon cuit', 'tea*',
    ]


def test_card_after_the_screen():
    store = Store({"fr": FR + "\ndish 2 = encore"})
    translator = Translator(store)
    first = translator.dish("dish 1", "fr")
    card = Card({"dish 0": [("dish 2", 100), ("dish 38", 2005)]})
    assert (first, card.lines(translator, "fr", 16), card.missing(translator, "fr")) == (
        'plat 7', ['-- plat 0 --', 'plat 14.....1.00', 'plat 266...20.05'], [],
    )
    assert translator.catalogue("fr").all()["dish 2"] == 'plat 14'
