import pytest
from pharmacy.counter import Counter
from pharmacy.prescriptions import PrescriptionError
from pharmacy.prices import PriceList
from pharmacy.stock import OutOfStock


@pytest.fixture
def counter():
    made = Counter({"ibu": 30, "amo": 5})
    made.stock.receive("ibu", "I-1", 400, 20, day=1)
    made.stock.receive("ibu", "I-2", 300, 50, day=1)
    made.stock.receive("amo", "A-1", 60, 10, day=1)
    return made


def test_labels(counter):
    assert counter.dispense("17 ada: ibu 55, amo 3", day=2) == [
        "ada: 55 ibu (50 of I-2 + 5 of I-1)", "ada: 3 amo (3 of A-1)"]


def test_units_after_one_item(counter):
    counter.dispense("17 ada: ibu 55", day=2)
    assert (counter.stock.units("ibu", 2), counter.stock.journal.sum_of("I-1")) == (15, 15)
    assert counter.to_order(day=2) == {"ibu": 15}


def test_begun_lot_is_opened(counter):
    counter.dispense("17 ada: ibu 5", day=2)
    assert counter.stock.overview(day=2) == [("A-1", 10, 60), ("I-1", 20, 400), ("I-2", 45, 92)]


def test_receipts():
    counter = Counter({}, prices=PriceList("ibu 20\namo 310\nzinc 15 private\n"))
    assert [counter.receipt("1 ada: ibu 20, amo 30, zinc 10", age) for age in (40, 9)] == [
        "ada: 98.50, to pay 14.80", "ada: 98.50, to pay 1.50"]


def test_expired_lots(counter):
    assert counter.evening(day=61) == ["throw away 10 of A-1", "order 5 amo"]


def test_refused(counter):
    with pytest.raises(OutOfStock):
        counter.dispense("18 ben: ibu 71", day=2)
    with pytest.raises(PrescriptionError):
        counter.dispense("18 ben: ibu", day=2)
    with pytest.raises(ValueError, match="I-1"):
        counter.stock.receive("ibu", "I-1", 500, 10, day=2)
