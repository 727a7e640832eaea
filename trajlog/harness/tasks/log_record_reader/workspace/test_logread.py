import pytest
from logread.reader import RecordReader
from logread.record import LogError
from logread.tools import read, totals, worst_first

TEXT = """\
2024-05-01 10:00:01 INFO  web started port=80 name="main \\"one\\""
2024-05-01T10:00:02 ERROR db query failed ms=12
    Traceback:
      line 7

+ ms=15 table=users
2024-05-01 10:00:09 WARN  net slow ms=900
    retry in 5 s
"""


def test_while_reading():
    seen = [(record.line_number, record.message, list(record.extra)) for record in RecordReader(TEXT.splitlines())]
    assert seen == [(1, "started", []), (2, "query failed", ["Traceback:", "line 7"]), (7, "slow", ["retry in 5 s"])]


def test_headline():
    record = next(iter(RecordReader(TEXT.splitlines())))
    assert (record.headline(), record.fields) == (
        "2024-05-01 10:00:01 INFO  web started", {"port": 80, "name": 'main "one"'}
    )


def test_worst_first():
    assert [(record.logger, record.extra) for record in worst_first(read(TEXT))] == [
        ("db", ["Traceback:", "line 7"]), ("net", ["retry in 5 s"]), ("web", [])
    ]


def test_counts():
    reader = RecordReader(TEXT.splitlines())
    assert len(list(reader)) == reader.num_records == 3
    assert reader.num_lines == 8


def test_no_record_yet():
    with pytest.raises(LogError, match="line 2"):
        read("\n   lost\n")
    assert totals([], "ms") == {}
