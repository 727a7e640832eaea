from bank.bank import Bank


def busy_bank(traffic):
    bank = Bank(traffic.lock)
    bank.open("7", "ada", "giro", cents=700)
    bank.open("3", "ada", "savings", cents=300)
    bank.open("5", "ben", "savings", cents=500)
    bank.open("1", "ben", "giro", cents=100)
    return bank


def balances(bank):
    return [bank.account(number).balance for number in "1357"]


def test_sweep_during_a_transfer(traffic):
    bank = busy_bank(traffic)
    moved = []
    stuck = traffic.run(
        lambda: moved.append(bank.sweep("ada", "3")),
        lambda: bank.transfer("3", "7", 40),
    )
    assert (stuck, sum(balances(bank))) == ([], 1600)
    assert moved in ([700], [740])


def test_sweep_to_an_account_of_somebody_else(traffic):
    bank = busy_bank(traffic)
    stuck = traffic.run(lambda: bank.sweep("ada", "1"), lambda: bank.sweep("ben", "7"))
    assert (stuck, sum(balances(bank))) == ([], 1600)


def test_two_statements_and_a_sweep(traffic):
    bank = busy_bank(traffic)
    rows = []
    stuck = traffic.run(lambda: rows.extend(bank.statement()), lambda: bank.sweep("ben", "1"))
    assert [row[:3] for row in rows] == [
        ("savings", "3", "ada"),
        ("savings", "5", "ben"),
        ("giro", "1", "ben"),
        ("giro", "7", "ada"),
    ]
    assert (stuck, balances(bank)) == ([], [600, 300, 0, 700])


def test_statement_against_a_transfer_between_strangers(traffic):
    bank = busy_bank(traffic)
    totals = []
    stuck = traffic.run(
        lambda: bank.transfer("1", "5", 100),
        lambda: totals.append(sum(row[3] for row in bank.statement())),
    )
    assert (stuck, totals, balances(bank)) == ([], [1600], [0, 300, 600, 700])
