from meter.billing import bills, forecast, load
from meter.register import Register
from meter.tariff import Block, Tariff

TARIFF = Tariff(1250, [Block(50, 1005), Block(200, 2015), Block(None, 3333)])


def energies(*lines):
    return [period.energy for period in load(lines).periods]


def test_single_counts_around_zero():
    pairs = [(99999, 0), (99998, 1), (0, 0), (0, 99999), (5, 4)]
    assert [Register().energy(*pair) for pair in pairs] == [1, 3, 0, 99999, 99999]


def test_other_registers():
    got = [Register(4).energy(9990, 15), Register(6).energy(999_000, 250), Register(3, 40).energy(998, 3)]
    assert got == [25, 1250, 200]


def test_exchange_of_a_meter_that_started_over():
    lines = [
        "customer Ida 4 10",
        "2024-01-01 9980",
        "2024-01-20 exchange 5 6 1 999900",
        "2024-02-01 40",
        "2024-02-11 exchange 50 5 2 0",
        "2024-02-20 exchange 7 4 1 9999",
        "2024-03-01 0",
    ]
    assert energies(*lines) == [390, 25]
    assert forecast(load(lines), 30) == 207


def test_bill_on_block_bounds():
    history = load(["customer Bo 4 1", "2024-01-01 9950", "2024-02-01 0", "2024-03-01 200", "2024-04-01 199"])
    lines = [[(line.label, line.energy, line.cents) for line in bill.lines] for bill in bills(history, TARIFF)]
    assert lines == [
        [("fee", 0, 388), ("0-50", 50, 503)],
        [("fee", 0, 363), ("0-50", 50, 503), ("50-200", 150, 3023)],
        [("fee", 0, 388), ("0-50", 50, 503), ("50-200", 150, 3023), ("200+", 9799, 326601)],
    ]


def test_sum_over_many_times_round():
    lines = ["customer Max 3 1"] + [f"2024-{month:02d}-01 {month * 377 % 1000}" for month in range(1, 13)]
    history = load(lines)
    assert (energies(*lines)[:3], sum(period.energy for period in history.periods)) == ([377, 377, 377], 4147)
