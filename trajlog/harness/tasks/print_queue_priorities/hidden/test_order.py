from spool.office import Office


def make(rows):
    office = Office(budget_cents=1_000_000)
    for pages, priority in rows:
        office.submit("eve", pages, priority)
    return office


def test_withdrawals_in_a_deep_queue():
    office = make([(1, priority) for priority in (9, 8, 3, 7, 6, 2, 2, 5, 5, 5, 5, 1, 1, 1, 1)])
    office.withdraw(2)
    office.withdraw(3)
    office.withdraw(1)
    assert office.print_all() == [4, 5, 8, 9, 10, 11, 6, 7, 12, 13, 14, 15]


def test_evening():
    office = make([(30, 9), (2, 5), (40, 8), (1, 4), (3, 3), (25, 7), (2, 2)])
    assert (office.evening(), office.print_all()) == (3, [2, 4, 5, 7, 1, 3, 6])


def test_waiting_is_the_printed_order():
    office = make([(1, 1 + n * 7 % 9) for n in range(20)])
    for number in (20, 13, 4):
        office.raise_priority(number)
    office.withdraw(9)
    office.raise_priority(18, 8)
    listed = office.waiting()
    assert office.print_all() == listed
    assert listed == [4, 6, 13, 15, 20, 2, 11, 18, 7, 16, 3, 12, 8, 17, 5, 14, 1, 10, 19]


def test_changes_between_prints():
    office = make([(1, p) for p in (5, 4, 4, 3, 3, 3, 3, 2)] + [(50, 9)])
    seen = [office.print_next()]
    office.raise_priority(8, 4)
    seen.append(office.print_next())
    office.submit("fay", 21, 8)
    office.evening()
    office.submit("fay", 1, 3)
    office.withdraw(5)
    assert seen + office.print_all() == [9, 1, 2, 3, 8, 4, 6, 7, 11, 10]
