from builder import Builder
from builder.files import Files
from builder.traces import Traces

RULES = """
low.out:
    read low.txt
    limit 2
mid.out:
    read base.txt
    read low.out
    upper
top.out:
    optional mid.out
    text end
    optional extra.txt
sum.out:
    read top.out
    read other.txt
    count lines
"""


def started(**texts):
    files = Files({name.replace("_", "."): text for name, text in texts.items()})
    return files, Builder(RULES, files)


def test_failure_two_levels_down():
    files, builder = started(low_txt="a\nb\nc", base_txt="base")
    seen = [builder.build_all("mid.out")]
    files.write("low.txt", "a\nb")
    seen.append(builder.build_all("mid.out"))
    assert seen == [{"mid.out": "error: 3 lines, only 2 allowed"}, {"mid.out": "BASE\nA\nB"}]
    assert builder.runs == ["mid.out", "low.out", "low.out", "mid.out"]


def test_unchanged_failure_does_not_run_again():
    files, builder = started(low_txt="a\nb\nc", base_txt="base")
    seen = [builder.build_all("mid.out", "low.out") for _ in range(3)]
    assert [found["mid.out"] for found in seen] == [
        "error: 3 lines, only 2 allowed", "error: 3 lines, only 2 allowed", "error: 3 lines, only 2 allowed"
    ]
    assert builder.runs == ["mid.out", "low.out"]


def test_other_failure_is_told():
    files, builder = started(low_txt="a\nb\nc", base_txt="base")
    seen = [builder.build_all("mid.out")["mid.out"]]
    files.write("low.txt", "a\nb\nc\nd")
    seen.append(builder.build_all("mid.out")["mid.out"])
    files.remove("low.txt")
    seen.append(builder.build_all("mid.out")["mid.out"])
    assert seen == [
        "error: 3 lines, only 2 allowed", "error: 4 lines, only 2 allowed", "error: no such file: low.txt"
    ]


def test_optional_parts_come_and_go():
    files, builder = started(base_txt="base")
    seen = [builder.build("top.out")]
    files.write("extra.txt", "more")
    seen.append(builder.build("top.out"))
    files.write("low.txt", "low")
    seen.append(builder.build("top.out"))
    files.remove("extra.txt")
    seen += [builder.build("top.out"), builder.build("top.out")]
    assert seen == ["end", "end\nmore", "BASE\nLOW\nend\nmore", "BASE\nLOW\nend", "BASE\nLOW\nend"]
    assert builder.runs == [
        "top.out", "mid.out", "low.out", "top.out", "low.out", "mid.out", "top.out", "top.out"
    ]


def test_failure_from_stored_traces():
    files, builder = started(other_txt="x")
    builder.build_all("mid.out", "sum.out")
    again = Builder(RULES, files, Traces.loads(builder.traces.dumps()))
    seen = [again.build_all("mid.out", "sum.out")]
    assert (seen, again.runs) == ([{"mid.out": "error: no such file: base.txt", "sum.out": "2 lines"}], [])
    files.write("base.txt", "b")
    files.write("low.txt", "l")
    assert again.build_all("sum.out", "mid.out") == {"sum.out": "4 lines", "mid.out": "B\nL"}
    assert again.runs == ["mid.out", "low.out", "top.out", "sum.out"]


def test_repaired_failure_with_the_same_result_above():
    files, builder = started(base_txt="b", other_txt="x")
    builder.build("sum.out")
    files.write("low.txt", "1\n2\n3")
    assert builder.build("sum.out") == "2 lines"
    assert builder.runs == ["sum.out", "top.out", "mid.out", "low.out", "low.out", "mid.out", "top.out"]
