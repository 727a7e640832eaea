import pytest
from auction.clerk import Clerk
from auction.lots import Catalogue
from auction.sale import Sale, SaleError

LOTS = ["lot vase smith 100", "lot lamp jones 40", "lot chair smith 90 suite", "lot desk jones 60"]


def test_sale_without_withdrawals():
    clerk = Clerk().write_all([*LOTS, "bid 1 ann 80", "bid 1 bob 120", "bid 4 ann 60", "bid 4 bob 55"])
    assert clerk.page() == [
        "1 vase to bob for 120",
        "2 lamp unsold",
        "3 chair unsold",
        "4 desk to ann for 60",
        "takings 180",
        "lot 4: 55 is not more than 60",
    ]


def test_estate_without_sets():
    clerk = Clerk().write_all([*LOTS, "withdraw smith"])
    assert clerk.sale.withdrawn == ["3 chair", "1 vase"]
    assert clerk.page() == ["2 lamp unsold", "4 desk unsold", "takings 0", "smith: 19"]


def test_estate_with_a_set_at_the_end():
    clerk = Clerk().write_all([*LOTS, "lot stool smith 20 suite", "withdraw smith"])
    assert [lot.owner for lot in clerk.sale.catalogue] == ["jones", "jones"]


def test_one_lot_takes_its_set_along():
    clerk = Clerk().write_all([*LOTS, "lot bed hill 30 suite", "pull 3", "pull 3"])
    assert clerk.page()[3:] == ["takings 0", "hill: 5", "smith: 9", "no lot 3"]


def test_bids_must_rise():
    sale = Sale(Catalogue().add("vase", "smith"))
    sale.bid(1, "ann", 10)
    with pytest.raises(SaleError, match="10 is not more than 10"):
        sale.bid(1, "bob", 10)
