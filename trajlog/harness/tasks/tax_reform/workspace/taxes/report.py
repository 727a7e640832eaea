"""Reports."""


def compare(code, one, other, incomes):
    """Lines with income, the tax of two years, and the difference."""
    before = code.year
    columns = []
    for year in (one, other):
        code.use(year)
        columns.append([code.tax(income) for income in incomes])
    code.use(before)
    return [f"{income} {old} {new} {new - old:+}" for income, old, new in zip(incomes, *columns)]


def summary(code, households):
    lines = [f"{house.name}: {house.tax(code)} ({house.rate(code):.1f} %)" for house in households]
    return [f"{code.year}:", *lines, f"sum {sum(house.tax(code) for house in households)}"]


def effect(code, households, **changes):
    """What a reform means for each household."""
    before = [house.tax(code) for house in households]
    with code.reform(**changes):
        after = [house.tax(code) for house in households]
    return {house.name: new - old for house, old, new in zip(households, before, after)}


def table(code, start, stop, step):
    """A tax table with the share of one more unit that goes to the state."""
    lines = [f"tax table {code.year}"]
    for income in range(start, stop + 1, step):
        tax = code.tax(income)
        lines.append(f"{income:>8} {tax:>7} {marginal(code, income):>3} %")
    return lines


def marginal(code, income):
    """Percent of the bracket that the income is in."""
    taxed = income - code.rules.allowance
    percent = 0
    for start, rate in code.rules.brackets:
        if taxed > start:
            percent = rate
    return percent
