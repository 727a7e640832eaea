import pytest
from box import Box, UnknownRecipe


def test_titles_of_plain_files():
    box = Box(["goulash.recipe", "draft-pumpkin-hash.recipe", "notes.txt"])
    assert box.titles() == ["Goulash", "Pumpkin Hash"]
    assert box.drafts() == ["Pumpkin Hash"]


def test_rice_is_listed_whole():
    box = Box(["rice.recipe", "draft-fried-rice.recipe"])
    assert box.titles() == ["Fried Rice", "Rice"]


def test_unknown_title():
    with pytest.raises(UnknownRecipe):
        Box(["soup.recipe"]).filename("Stew")


def test_index_by_letter():
    assert Box(["salad.recipe", "stock.recipe", "hash.recipe"]).index() == ["H: Hash", "S: Salad, Stock"]
