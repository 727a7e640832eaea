import pytest
from customs import CodeError, Desk, Tariff
from customs.invoice import InvoiceError, Item, by_chapter, duties, read_items

TEXT = """
08 | Fruit | 9.0
0805 | Citrus fruit | 12.8
080510 | Oranges | 3.2 | 15
080550 | Lemons
0808 | Apples and pears | | 7
09 | Coffee and spices | 0
0901 | Coffee
"""


@pytest.fixture
def tariff():
    return Tariff.read(TEXT)


def test_lines(tariff):
    desk = Desk(tariff)
    assert [desk.look_up(code).text for code in ("080510", "08051020", "080530", "0999")] == [
        "Oranges", "Oranges", "Citrus fruit", "Coffee and spices",
    ]
    with pytest.raises(CodeError):
        desk.look_up("7701")


def test_duties(tariff):
    items = [Item("080510", 10000, 20), Item("080550", 5000), Item("090111", 80000)]
    assert duties(Desk(tariff), items) == [
        '080510      100.00     6.20', '080550       50.00     6.40', '090111      800.00     0.00',
        'duty                  12.60',
    ]


def test_counts_of_a_large_cache(tariff):
    desk = Desk(tariff)
    for code in ("080510", "080550", "080510", "0901"):
        desk.look_up(code)
    desk.close()
    assert desk.counts() == {"08": 3, "0805": 3, "080510": 2, "080550": 1, "09": 1, "0901": 1}
    assert (desk.top(6), desk.chapters()) == (["080510", "080550"], {"08": 3, "09": 1})


def test_counts_of_a_small_cache(tariff):
    desk = Desk(tariff, limit=3)
    for code in ("080510", "080550", "0901", "080510"):
        desk.look_up(code)
    desk.close()
    assert desk.counts() == {"08": 3, "0805": 3, "080510": 2, "080550": 1, "09": 1, "0901": 1}


def test_recently_used_stay(tariff):
    desk = Desk(tariff, limit=3)
    for code in ("08", "09", "0805", "08"):
        desk.look_up(code)
    assert (desk.in_memory(), tariff.reads) == (["09", "0805", "08"], ["08", "09", "0805"])


def test_invoice():
    items = read_items("0805 10; 100.00; 20\n\n0901; 12.5\n080550; 3")
    assert (items[0], by_chapter(items)) == (Item("080510", 10000, 20), {"08": 10300, "09": 1250})
    with pytest.raises(InvoiceError, match="line 1: '0901'"):
        read_items("0901")
