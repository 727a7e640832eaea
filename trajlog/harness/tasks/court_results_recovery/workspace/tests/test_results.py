from court.bracket import way_of
from court.cli import main
from court.reader import read_results
from court.report import report, standings

DAY = """R1: [1]Ann d. Bo 6-4 3-6 7-6(5); Cy d. Dee 6-0 2-1 ret.
Eve d. [2]Fay Low 7-5 6-3
F: Ann d. Eve w/o
"""


def test_report():
    assert report(DAY) == [
        "R1: 3 matches",
        "  [1]Ann d. Bo 6-4 3-6 7-6(5)",
        "  Cy d. Dee 6-0 2-1 ret.",
        "  Eve d. [2]Fay Low 7-5 6-3",
        "F: 1 matches",
        "  Ann d. Eve w/o",
        "in: Ann, Cy",
        "upsets: Eve over [2]Fay Low",
    ]


def test_standings():
    assert standings(DAY)[:3] == ["Ann: 2/2 +1 +0", "Eve: 1/2 +2 +5", "Cy: 1/1 +1 +7"]


def test_way_of_a_player():
    matches, _ = read_results(DAY)
    assert way_of(matches, "Eve") == ["R1 beat Fay Low 7-5 6-3", "F lost to Ann"]


def test_match_behind_a_faulty_one():
    matches, problems = read_results("R1: Ann d. Bo 6-4 3-x; Cy d. Dee 6-2 6-1")
    assert problems == ["1:19 a set expected, not 3"]
    assert [str(match) for match in matches] == ["Cy d. Dee 6-2 6-1"]


def test_impossible_matches_are_reported():
    problems = [read_results(text)[1] for text in ("Ann d. Bo 4-6 4-6", "Ann d. Bo", "Ann d. 6-4", "Ann Bo 6-1 6-1")]
    assert problems == [
        ["1:18 Ann did not win 0:2"], ["1:10 no sets"], ["1:8 a name expected, not 6-4"],
        ["1:8 d. expected, not 6-1"],
    ]


def test_command_line(tmp_path):
    path, out = tmp_path / "day.txt", []
    path.write_text(DAY)
    assert (main(["ratings", str(path)], out), main(["way", str(path), "Zoe"], out)) == (0, 0)
    assert out == ["Ann 1516", "Cy 1516", "Eve 1516", "Bo 1484", "Dee 1484", "Fay Low 1484", "no matches of Zoe"]
