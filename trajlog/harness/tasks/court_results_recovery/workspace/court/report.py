"""What the tournament office prints."""

from court.bracket import rounds, still_in, upsets
from court.reader import read_results
from court.table import table_lines


def report(text):
    matches, problems = read_results(text)
    lines = []
    for name, group in rounds(matches).items():
        lines.append(f"{name or '-'}: {len(group)} matches")
        lines += [f"  {match}" for match in group]
    lines.append("in: " + ", ".join(still_in(matches)))
    if found := upsets(matches):
        lines.append("upsets: " + ", ".join(found))
    lines += [f"? {problem}" for problem in problems]
    return lines


def standings(text):
    return table_lines(read_results(text)[0])
