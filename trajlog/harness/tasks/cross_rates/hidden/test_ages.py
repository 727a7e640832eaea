from fx.bank import Bank
from fx.clock import ManualClock
from fx.desk import Desk

QUOTES = {("A", "B"): 2, ("B", "C"): 3, ("C", "D"): 5, ("D", "E"): 7}


def started(max_age=60):
    clock, bank = ManualClock(), Bank(QUOTES)
    return clock, bank, Desk(bank, clock, max_age)


def test_second_leg_is_older():
    clock, bank, desk = started()
    desk.rate("B", "C")
    clock.advance(40)
    ages = [desk.age_of("A", "C"), desk.age_of("A", "B")]
    bank.set(("B", "C"), 30)
    clock.advance(21)
    ages.append(desk.age_of("A", "C"))
    assert (ages, int(desk.rate("A", "C"))) == ([40, 0, 21], 60)
    assert bank.asked == [("B", "C"), ("A", "B"), ("B", "C")]


def test_first_leg_is_older():
    clock, bank, desk = started()
    desk.rate("A", "B")
    clock.advance(45)
    first = desk.rate("A", "C")
    bank.set(("A", "B"), 9)
    clock.advance(16)
    assert [int(first), int(desk.rate("A", "C")), desk.age_of("A", "C")] == [6, 27, 16]


def test_long_way():
    clock, bank, desk = started()
    for step, pair in enumerate(["AB", "BC", "CD", "DE"]):
        desk.rate(*pair)
        clock.advance(10 + step)
    whole = [int(desk.rate("A", "E")), desk.age_of("A", "E"), desk.age_of("C", "E"), desk.age_of("B", "D")]
    bank.set(("A", "B"), 1)
    clock.advance(15)
    assert whole == [210, 46, 25, 36]
    assert [int(desk.rate("A", "E")), desk.age_of("A", "E")] == [105, 51]


def test_inverse_is_as_old_as_its_quote():
    clock, bank, desk = started()
    desk.rate("A", "B")
    clock.advance(50)
    seen = [float(desk.rate("B", "A")), desk.age_of("B", "A")]
    bank.set(("A", "B"), 4)
    clock.advance(11)
    seen += [float(desk.rate("B", "A")), desk.age_of("B", "A")]
    assert seen == [0.5, 50, 0.25, 0]


def test_good_quotes_are_not_fetched_again():
    clock, bank, desk = started(max_age=100)
    for _ in range(4):
        desk.rate("A", "E"), desk.rate("E", "A"), desk.rate("B", "D")
        clock.advance(25)
    assert sorted("".join(pair) for pair in bank.asked) == ["AB", "BC", "CD", "DE"]


def test_suspension_of_an_inner_currency():
    clock, bank, desk = started()
    bank.set(("A", "D"), 100)
    before = int(desk.rate("A", "C")), int(desk.rate("B", "D"))
    desk.suspend("B")
    after = int(desk.rate("A", "C")), int(desk.rate("C", "D"))
    desk.resume("B")
    assert (before, after, int(desk.rate("B", "D"))) == ((6, 50), (20, 5), 50)
