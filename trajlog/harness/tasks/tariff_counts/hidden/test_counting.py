from customs import Desk, Tariff

TEXT = """
20 | Preserves | 5
2008 | Fruit otherwise prepared
200811 | Ground-nuts
20081110 | Peanut butter
200819 | Other nuts | 11
2009 | Juices | 8
200911 | Orange juice, frozen
22 | Beverages | 2
2201 | Waters
"""
CODES = ["20081110", "200911", "2201", "200819", "20081110", "2008", "22", "200911", "200811", "20081110"]


def counted(limit, codes=CODES):
    desk = Desk(Tariff.read(TEXT), limit)
    most = 0
    for code in codes:
        desk.look_up(code)
        most = max(most, len(desk.in_memory()))
    desk.close()
    return desk, most


def test_counts_do_not_depend_on_the_limit():
    seen = []
    for limit in (1, 2, 3, 4, 50):
        desk, most = counted(limit)
        if desk.counts() not in seen:
            seen.append(desk.counts())
    assert seen == [
        {'20': 8,
        '2008': 6,
        '200811': 4,
        '20081110': 3,
        '200819': 1,
        '2009': 2,
        '200911': 2,
        '22': 2,
        '2201': 1},
    ]


def test_limit_is_kept():
    assert [counted(limit)[1] for limit in (1, 2, 3, 5, 50)] == [1, 2, 3, 5, 7]


def test_drops_of_a_single_entry_cache():
    desk, _ = counted(1, ["20081110", "2201"])
    assert (desk.dropped, desk.counts()) == (
        ['20081110', '2201', '200811', '22', '2008', '20'],
        {'20': 1, '2008': 1, '200811': 1, '20081110': 1, '22': 1, '2201': 1},
    )


def test_drops_of_a_cache_of_two():
    desk, _ = counted(2, ["200911", "2201", "200819"])
    assert (desk.dropped, desk.in_memory(), desk.chapters()) == (
        ['200911', '2201', '200819', '2009', '22', '2008', '20'], [], {'20': 2, '22': 1},
    )


def test_used_on_after_closing():
    desk, _ = counted(2)
    for code in ("200819", "200911", "2201"):
        desk.look_up(code)
    middle = desk.duty("200811", 10000)
    desk.close()
    assert (middle, desk.counts(), desk.top(6, 2)) == (
        500,
        {'20': 11,
        '2008': 8,
        '200811': 5,
        '20081110': 3,
        '200819': 2,
        '2009': 3,
        '200911': 3,
        '22': 3,
        '2201': 2},
        ['200811', '200911'],
    )
