from auction.clerk import Clerk


def book(*lots):
    return Clerk().write_all(f"lot {lot}" for lot in lots)


def test_set_of_three_at_the_end():
    clerk = book("a smith 10", "b hill 10 x", "c smith 50 x", "d smith 70", "e hill 0", "f smith 200 x")
    clerk.write("withdraw smith")
    assert (clerk.sale.withdrawn, clerk.page()) == (
        ["6 f", "2 b", "3 c", "4 d", "1 a"], ["5 e unsold", "takings 0", "hill: 5", "smith: 37"],
    )


def test_two_sets_of_mixed_owners():
    clerk = book("a hill 10 x", "b smith 10 y", "c hill 10", "d smith 10 x", "e hill 10 y", "f smith 10", "g hill 90 y")
    number = clerk.sale.withdraw_estate("smith")
    assert (number, clerk.sale.withdrawn, [str(lot) for lot in clerk.sale.catalogue]) == (
        6, ["6 f", "4 d", "1 a", "2 b", "5 e", "7 g"], ["3 c"],
    )


def test_fees_are_charged_once():
    clerk = book("a smith 100 x", "b smith 100 x", "c smith 100 x", "d smith 100", "e smith 100 x")
    clerk.write_all(["withdraw smith", "withdraw smith"])
    assert clerk.page() == ["takings 0", "smith: 50"]


def test_unpaid_owners():
    clerk = book("a ann 1", "b bob 1 x", "c cy 1", "d dee 1 y", "e ann 1 x", "f bob 1 y", "g dee 1")
    number = clerk.sale.withdraw_unpaid({"ann", "cy"})
    assert (number, clerk.sale.withdrawn, [str(lot) for lot in clerk.sale.catalogue]) == (
        5, ["7 g", "6 f", "4 d", "2 b", "5 e"], ["1 a", "3 c"],
    )
