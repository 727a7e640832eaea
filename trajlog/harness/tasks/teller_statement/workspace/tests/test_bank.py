import pytest
from bank.account import BankError
from bank.bank import Bank


def balances(bank, *numbers):
    return [bank.account(number).balance for number in numbers]


def test_transfer_and_overdraft():
    bank = Bank()
    bank.open("10", "ada", cents=500)
    bank.open("11", "ben")
    bank.transfer("10", "11", 450)
    with pytest.raises(BankError, match="holds only 50"):
        bank.transfer("10", "11", 60)
    assert balances(bank, "10", "11") == [50, 450]


def test_statement_lists_savings_first():
    bank = Bank()
    bank.open("1", "ada", cents=5)
    bank.open("2", "ada", "loan", cents=-900)
    bank.open("3", "ben", "savings", cents=70)
    assert bank.statement() == [("savings", "3", "ben", 70), ("giro", "1", "ada", 5), ("loan", "2", "ada", -900)]


def test_transfers_in_both_directions(traffic):
    bank = Bank(traffic.lock)
    bank.open("1", "ada", cents=300)
    bank.open("2", "ben", "savings", cents=200)
    stuck = traffic.run(lambda: bank.transfer("1", "2", 50), lambda: bank.transfer("2", "1", 10))
    assert (stuck, balances(bank, "1", "2")) == ([], [260, 240])


def test_statement_during_a_transfer(traffic):
    bank = Bank(traffic.lock)
    bank.open("1", "ada", cents=300)
    bank.open("2", "ben", "savings", cents=200)
    totals = []
    stuck = traffic.run(
        lambda: bank.transfer("1", "2", 50),
        lambda: totals.append(sum(row[3] for row in bank.statement())),
    )
    assert (stuck, totals, balances(bank, "1", "2")) == ([], [500], [250, 250])
