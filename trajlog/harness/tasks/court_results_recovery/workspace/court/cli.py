"""`report FILE`, `table FILE`, `ratings FILE`, `way FILE name`"""

from pathlib import Path

from court.bracket import way_of
from court.ratings import Ratings
from court.reader import read_results
from court.report import report
from court.table import table_lines


def main(argv, out):
    command, path, *rest = argv
    text = Path(path).read_text(encoding="utf-8")
    matches, problems = read_results(text)
    match command:
        case "report":
            out += report(text)
        case "table":
            out += table_lines(matches)
        case "ratings":
            out += Ratings().count_all(matches).lines()
        case "way":
            out += way_of(matches, " ".join(rest)) or [f"no matches of {' '.join(rest)}"]
        case _:
            out.append(f"unknown command {command}")
            return 2
    return 1 if problems else 0
