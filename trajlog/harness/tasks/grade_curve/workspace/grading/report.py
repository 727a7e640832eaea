"""Tables for the notice board."""

from grading.results import histogram


def table(results):
    rows = sorted(results.rows, key=lambda row: (results.rank(row.student), row.student))
    return [f"{results.rank(row.student):>2}. {row.student:<8}{row.score:>6.1f}  {row.grade:.1f}" for row in rows]


def bars(results, bounds):
    counts = histogram(results.grades().values(), bounds)
    return [f"{low:g}-{high:g} {'#' * count}".rstrip() for low, high, count in zip(bounds, bounds[1:], counts)]


def summary(results):
    count = len(results.rows)
    passed = len(results.passed())
    return f"{count} sheets, {passed} passed, mean {results.mean():.2f}, median {results.median():g}"
