import pytest
from pharmacy.counter import Counter
from pharmacy.stock import OutOfStock


def make():
    counter = Counter({"ibu": 40, "zinc": 10})
    counter.stock.receive("ibu", "L1", 200, 12, day=0)
    counter.stock.receive("ibu", "L2", 250, 30, day=0)
    counter.stock.receive("ibu", "L3", 180, 6, day=0)
    counter.stock.receive("zinc", "Z1", 500, 25, day=0)
    return counter


def test_two_items_of_one_drug():
    counter = make()
    assert counter.dispense("1 ada: zinc 5, zinc 7", day=10) == ['ada: 5 zinc (5 of Z1)', 'ada: 7 zinc (7 of Z1)']
    assert (counter.stock.overview(10), counter.stock.journal.sum_of("Z1")) == (
        [('L1', 12, 200), ('L2', 30, 250), ('L3', 6, 180), ('Z1', 13, 100)], 13,
    )


def test_items_that_go_over_several_lots():
    counter = make()
    assert counter.dispense("2 ben: ibu 8, zinc 1, ibu 8, ibu 3", day=20) == [
        'ben: 8 ibu (6 of L3 + 2 of L1)',
        'ben: 1 zinc (1 of Z1)',
        'ben: 8 ibu (8 of L1)',
        'ben: 3 ibu (2 of L1 + 1 of L2)',
    ]
    assert counter.stock.overview(20) == [('L2', 29, 110), ('Z1', 24, 110)]
    assert [counter.stock.journal.sum_of(lot) for lot in ("L1", "L2", "L3", "Z1")] == [0, 29, 0, 24]


def test_opened_from_the_first_day_on():
    counter = make()
    for number, day in ((3, 30), (4, 50), (5, 70)):
        counter.dispense(f"{number} cleo: zinc 2, zinc 1", day)
    assert counter.stock.overview(70) == [('L1', 12, 200), ('L2', 30, 250), ('L3', 6, 180), ('Z1', 16, 120)]
    assert counter.evening(121) == ['throw away 16 of Z1', 'order 10 zinc']


def test_refused_prescription_changes_nothing():
    counter = make()
    before = counter.stock.overview(5)
    with pytest.raises(OutOfStock):
        counter.dispense("6 dan: zinc 3, ibu 30, ibu 19", day=5)
    assert counter.stock.overview(5) == before
    counter.dispense("6 dan: zinc 3, ibu 30, ibu 18", day=5)
    assert (counter.stock.overview(5), counter.stock.journal.reasons(), counter.to_order(5)) == (
        [('Z1', 22, 95)], {'received': 73, 'dispensed': -51}, {'ibu': 40},
    )


def test_counted_after_dispensing():
    counter = make()
    counter.dispense("7 eve: ibu 6, ibu 12, ibu 1", day=9)
    counter.stock.count("L2", 27, day=9)
    assert (counter.stock.journal.of_day(9), counter.stock.units("ibu", 9)) == (
        [('L3', -6, 'dispensed'), ('L1', -12, 'dispensed'), ('L2', -1, 'dispensed'), ('L2', -2, 'counted')], 27,
    )
