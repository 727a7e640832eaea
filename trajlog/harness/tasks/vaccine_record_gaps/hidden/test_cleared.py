import json
from datetime import date

import pytest
from clinic.files import dumps, loads
from clinic.records import Note, Record
from clinic.vaccines import Cabinet, Vaccine


@pytest.fixture
def cabinet():
    return Cabinet(Vaccine("MMR", 90, "M-1"))


def test_cleared_fields_stay_cleared(cabinet):
    record = Record("Cy", cabinet["MMR"], date(2024, 5, 2), batch=None, site=None, booster=None)
    (loaded,) = loads(dumps(loads(dumps([record]), cabinet)), cabinet)
    assert (loaded.batch_shown, loaded.site_shown, loaded.next_dose) == ("unknown", "not noted", None)


def test_cleared_fields_are_null_in_the_file(cabinet):
    record = Record("Cy", cabinet["MMR"], date(2024, 5, 2), batch=None, booster=None, notes=[Note("calm", None)])
    assert json.loads(dumps([record]))["records"] == [
        {"person": "Cy",
        "vaccine": "MMR",
        "day": "2024-05-02",
        "batch": None,
        "booster": None,
        "notes": [{"text": "calm", "author": None}]},
    ]


def test_open_fields_are_not_written(cabinet):
    record = Record("Cy", cabinet["MMR"], date(2024, 5, 2), notes=[Note("calm")])
    assert json.loads(dumps(loads(dumps([record]), cabinet)))["records"] == [
        {"person": "Cy", "vaccine": "MMR", "day": "2024-05-02", "notes": [{"text": "calm"}]},
    ]


def test_unsigned_notes(cabinet):
    record = Record("Cy", cabinet["MMR"], date(2024, 5, 2), notes=[Note("a", None), Note("b"), Note("c", "Dr. Oz")])
    (loaded,) = loads(dumps([record]), cabinet)
    assert loaded.note_lines("Kim") == ["a (unsigned)", "b (Kim)", "c (Dr. Oz)"]
