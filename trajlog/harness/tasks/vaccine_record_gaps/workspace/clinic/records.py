"""What was given to whom, and when again."""

from dataclasses import dataclass, field
from datetime import date

from clinic.unset import UNSET, given
from clinic.vaccines import Vaccine


@dataclass
class Note:
    text: str
    author: object = UNSET


@dataclass
class Record:
    person: str
    vaccine: Vaccine
    day: date
    batch: object = UNSET
    site: object = UNSET
    booster: object = UNSET
    notes: list = field(default_factory=list)

    @property
    def batch_shown(self):
        return given(self.batch, lambda: self.vaccine.batch_of_the_day) or "unknown"

    @property
    def site_shown(self):
        return given(self.site, lambda: self.vaccine.site) or "not noted"

    @property
    def next_dose(self):
        """The day of the booster, or None."""
        return given(self.booster, lambda: self.vaccine.usual_booster(self.day))

    def note_lines(self, nurse):
        return [f"{note.text} ({given(note.author, lambda: nurse) or 'unsigned'})" for note in self.notes]


def reminders(records, today, within=30):
    """(day, person) of the doses due from `today` on."""
    due = [(r.next_dose, r.person) for r in records if r.next_dose is not None]
    return sorted((day.isoformat(), person) for day, person in due if 0 <= (day - today).days <= within)
