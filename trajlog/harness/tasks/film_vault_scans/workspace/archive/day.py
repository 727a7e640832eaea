"""A day in the archive: commands, one on each line, and an answer to each.

    list 1920 1929        titles of these years
    count                 reels by decade
    find R7               where a reel stands
    copy? Metropolis      whether we have a reel of the film
    inspect A             playing time of a shelf
    move R7 B             to another shelf
    lend R7 museum        give a reel out of the house
    return R7             and take it back
    show R7               tonight in the cinema
    evening               when the films of tonight begin
    add A Nosferatu, 1922, 1967
"""

from archive.cinema import Evening, EveningFull
from archive.loans import LoanError, Loans
from archive.questions import Questions
from vault import Reel, Shelf, VaultError


class CommandError(ValueError):
    """A line that is no command."""


def read_shelves(text):
    """Shelves from text: a line `[A]` and below it the reels."""
    shelves = {}
    shelf = None
    for row in text.splitlines():
        row = row.strip()
        if row.startswith("["):
            shelf = shelves[row.strip("[]")] = Shelf(row.strip("[]"))
        elif row:
            if shelf is None:
                raise CommandError(f"{row!r} stands on no shelf")
            shelf.put(Reel.parse(row))
    return shelves


class Day:
    def __init__(self, shelves):
        self.shelves = shelves
        self._questions = Questions(shelves)
        self._loans = Loans(shelves, self._questions)
        self.evening = Evening()

    def run(self, text):
        """The answers. What goes wrong is answered with the kind of error and its text."""
        answers = []
        for row in text.splitlines():
            words = row.split()
            if not words:
                continue
            try:
                answers.append(self._command(words))
            except (VaultError, LoanError, EveningFull) as error:
                answers.append(f"{type(error).__name__}: {error}")
        return answers

    def _command(self, words):
        match words:
            case ["list", since, until]:
                return "; ".join(self._questions.titles(int(since), int(until)))
            case ["count"]:
                return " ".join(f"{decade}s:{number}" for decade, number in self._questions.decades().items())
            case ["find", code]:
                found = self._questions.find(code)
                return f"{found[1].title} on {found[0].name}" if found else "not here"
            case ["copy?", *title]:
                return "yes" if self._questions.has_copy(" ".join(title)) else "no"
            case ["inspect", name] if name in self.shelves:
                return f"{self._questions.playing_time(name)} min"
            case ["move", code, name] if name in self.shelves:
                return self._move(code, name)
            case ["lend", code, borrower]:
                self._loans.lend(code, borrower)
                return f"{code} to {borrower}"
            case ["return", code]:
                return f"{code} back on {self._loans.give_back(code)}"
            case ["show", code]:
                found = self._questions.find(code)
                if found is None:
                    return "not here"
                self.evening.add(found[1])
                return f"{self.evening.minutes()} min tonight"
            case ["evening"]:
                return " ".join(f"{clock} {title}" for clock, title in self.evening.starts())
            case ["out"]:
                return " ".join(f"{code}:{borrower}" for code, borrower in self._loans.outside())
            case ["add", name, *rest] if name in self.shelves:
                code = self._questions.first_free_code(name, name)
                self.shelves[name].put(Reel.parse(f"{code} {' '.join(rest)}"))
                return code
        raise CommandError(f"cannot read {' '.join(words)!r}")

    def _move(self, code, name):
        found = self._questions.find(code)
        if found is None:
            return "not here"
        source, reel = found
        self.shelves[name].put(reel)
        if source.name != name:
            source.take(code)
        return f"{code} now on {name}"
