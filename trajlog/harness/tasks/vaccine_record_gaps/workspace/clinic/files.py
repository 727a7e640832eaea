"""The records of a clinic as a JSON file."""

import json

from clinic.plain import compact, from_day
from clinic.records import Note, Record
from clinic.unset import UNSET
from clinic.vaccines import parse_day

FORMAT = "clinic-records/3"


def record_to_plain(record):
    return {
        "person": record.person,
        "vaccine": record.vaccine.code,
        "day": from_day(record.day),
        "batch": record.batch,
        "site": record.site,
        "booster": from_day(record.booster),
        "notes": [{"text": note.text, "author": note.author} for note in record.notes],
    }


def record_from_plain(entry, cabinet):
    booster = entry.get("booster", UNSET)
    return Record(
        person=entry["person"],
        vaccine=cabinet[entry["vaccine"]],
        day=parse_day(entry["day"]),
        batch=entry.get("batch", UNSET),
        site=entry.get("site", UNSET),
        booster=parse_day(booster) if booster else booster,
        notes=[Note(note["text"], note.get("author", UNSET)) for note in entry.get("notes", [])],
    )


def dumps(records):
    document = {"format": FORMAT, "records": [record_to_plain(record) for record in records]}
    return json.dumps(compact(document), ensure_ascii=False)


def loads(text, cabinet):
    document = json.loads(text)
    if document.get("format") != FORMAT:
        raise ValueError(f"format {document.get('format')!r}, expected {FORMAT!r}")
    return [record_from_plain(entry, cabinet) for entry in document["records"]]
