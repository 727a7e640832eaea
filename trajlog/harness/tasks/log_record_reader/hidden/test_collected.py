from logread.reader import RecordReader
from logread.tools import at_least, merged, read, totals, with_context

ONE = """\
2024-05-01 10:00:00 INFO a begin n=1
  a-one
2024-05-01 10:00:04 ERROR a oops n=2 who="x y"
  a-two
  a-three
2024-05-01 10:00:06 INFO b end
+ n=40 left=3
"""
TWO = """\
2024-05-01 10:00:02 WARN c hm n=7
2024-05-01 10:00:05 FATAL c over
  c-one
+ n=8
"""


def test_fields_of_collected_records():
    assert [record.fields for record in read(ONE)] == [
        {"n": 1}, {"n": 2, "who": "x y"}, {"n": 40, "left": 3}
    ]
    assert totals(read(ONE), "n") == {"a": 3, "b": 40}


def test_merged_logs():
    records = merged(ONE, TWO)
    assert [(record.logger, record.extra, record.fields.get("n")) for record in records] == [
        ("a", ["a-one"], 1), ("c", [], 7), ("a", ["a-two", "a-three"], 2), ("c", ["c-one"], 8), ("b", [], 40)
    ]


def test_context_keeps_earlier_records():
    groups = list(with_context(RecordReader(ONE.splitlines()), lambda record: record.level == "ERROR"))
    assert [[(record.message, record.extra, record.fields) for record in group] for group in groups] == [
        [("begin", ["a-one"], {"n": 1}), ("oops", ["a-two", "a-three"], {"n": 2, "who": "x y"})]
    ]


def test_changing_one_record():
    records = list(at_least(RecordReader(ONE.splitlines()), 1))
    records[0].extra.append("mine")
    records[1].fields["seen"] = True
    del records[2].fields["n"]
    assert [(record.extra, record.fields) for record in records] == [
        (["a-one", "mine"], {"n": 1}), (["a-two", "a-three"], {"n": 2, "who": "x y", "seen": True}), ([], {"left": 3})
    ]


def test_changing_a_record_while_reading():
    seen = []
    for record in RecordReader(ONE.splitlines()):
        record.extra.append(record.message)
        record.fields["line"] = record.line_number
        seen.append(record)
    assert [(record.extra, sorted(record.fields.items())) for record in seen] == [
        (["a-one", "begin"], [("line", 1), ("n", 1)]),
        (["a-two", "a-three", "oops"], [("line", 3), ("n", 2), ("who", "x y")]),
        (["end"], [("left", 3), ("line", 6), ("n", 40)]),
    ]


def test_two_readers_side_by_side():
    first, second = iter(RecordReader(ONE.splitlines())), iter(RecordReader(TWO.splitlines()))
    records = [next(first), next(second), next(first), next(second)]
    assert [(record.extra, record.fields["n"]) for record in records] == [
        (["a-one"], 1), ([], 7), (["a-two", "a-three"], 2), (["c-one"], 8)
    ]
