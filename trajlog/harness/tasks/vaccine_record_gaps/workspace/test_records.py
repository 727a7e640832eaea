from datetime import date

import pytest
from clinic.files import dumps, loads
from clinic.records import Note, Record, reminders
from clinic.vaccines import Cabinet, Vaccine


@pytest.fixture
def cabinet():
    return Cabinet(Vaccine("TET", 3650, "T-77"), Vaccine("FSME", 30, "F-12", "right arm"))


def test_filled_fields_are_kept(cabinet):
    record = Record("Ada", cabinet["TET"], date(2024, 3, 1), "T-50", "thigh", date(2026, 1, 1))
    (loaded,) = loads(dumps([record]), cabinet)
    assert (loaded.batch_shown, loaded.site_shown, loaded.next_dose) == ("T-50", "thigh", date(2026, 1, 1))


def test_no_reminder_after_the_booster_was_cleared(cabinet):
    ada = Record("Ada", cabinet["FSME"], date(2024, 3, 1))
    ben = Record("Ben", cabinet["FSME"], date(2024, 3, 5))
    ada.booster = None
    assert reminders([ada, ben], date(2024, 3, 20)) == [("2024-04-04", "Ben")]
    assert reminders(loads(dumps([ada, ben]), cabinet), date(2024, 3, 20)) == [("2024-04-04", "Ben")]


def test_open_fields_follow_the_vaccine(cabinet):
    (loaded,) = loads(dumps([Record("Ada", cabinet["FSME"], date(2024, 3, 1))]), cabinet)
    cabinet["FSME"].booster_days = 40
    cabinet["FSME"].batch_of_the_day = "F-13"
    assert (loaded.next_dose.isoformat(), loaded.batch_shown, loaded.site_shown) == ("2024-04-10", "F-13", "right arm")


def test_notes(cabinet):
    record = Record("Ada", cabinet["TET"], date(2024, 3, 1), notes=[Note("fainted", "Dr. Lund"), Note("well again")])
    (loaded,) = loads(dumps([record]), cabinet)
    assert loaded.note_lines("Kim") == ["fainted (Dr. Lund)", "well again (Kim)"]


def test_other_formats_are_refused(cabinet):
    with pytest.raises(ValueError, match="expected 'clinic-records/3'"):
        loads('{"format": "clinic-records/2"}', cabinet)
