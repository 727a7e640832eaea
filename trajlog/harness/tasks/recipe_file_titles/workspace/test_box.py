import pytest
from box import Box, UnknownRecipe


def test_titles_of_plain_files():
    box = Box(["soup.recipe", "draft-pumpkin-hash.recipe", "notes.txt"])
    assert box.titles() == ["Pumpkin Hash", "Soup"]
    assert box.drafts() == ["Pumpkin Hash"]


def test_rice_is_listed_whole():
    box = Box(["rice.recipe", "draft-fried-rice.recipe"])
    assert box.titles() == ["Fried Rice", "Rice"]


def test_unknown_title():
    with pytest.raises(UnknownRecipe):
        Box(["soup.recipe"]).filename("Stew")


def test_index_by_letter():
    assert Box(["soup.recipe", "stock.recipe", "hash.recipe"]).index() == ["H: Hash", "S: Soup, Stock"]
