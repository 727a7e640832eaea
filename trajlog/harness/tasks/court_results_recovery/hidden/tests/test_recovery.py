from court.bracket import upsets
from court.reader import read_results
from court.report import report

GOOD = ["[3]Gus d. Hal 6-1 6-7(4) 6-2", "Ida d. Jo 3-1 ret.", "Kim d. [4]Lee w/o"]
FAULTY = [
    "[9]Mo d. Ned 6-4 1-0 ret. 3-2",
    "Mo d. Ned w/o 6-1",
    "Mo d. [8]Ned 6-4 3-2 6-1",
    "Mo d. Ned 6-4(3)",
    "[7]Mo d. 6-1",
    "Mo ? Ned 6-1 6-1",
    "Mo d. Ned 0-6 0-6",
    "Mo d. Ned ret. ret.",
    "d. Ned 6-1",
]


def test_every_fault_before_every_match():
    problems = []
    for fault in FAULTY:
        for good in GOOD:
            matches, found = read_results(f"{fault}; {good}\n{fault}\n{good}")
            assert [str(match) for match in matches] == [good, good]
            assert [match.seeds for match in matches] == [read_results(good)[0][0].seeds] * 2
            assert len(found) == 2
        problems.append(found[1])
    assert problems == [
        "2:27 a set after ret.", "2:15 a set after w/o", "2:22 3-2 was not finished",
        "2:14 a tie-break without 7-6", "2:10 a name expected, not 6-1", "2:4 d. expected, not ?",
        "2:18 Mo did not win 0:2", "2:16 a second ending", "2:1 a name expected, not d.",
    ]


def test_many_faults_in_a_row():
    text = "QF: " + "; ".join([*FAULTY, GOOD[0], *FAULTY[::-1], "SF: Mo", GOOD[1], FAULTY[0], GOOD[2]])
    matches, problems = read_results(text)
    assert ([f"{match.round} {match}" for match in matches], len(problems)) == (
        ["QF [3]Gus d. Hal 6-1 6-7(4) 6-2", "SF Ida d. Jo 3-1 ret.", "SF Kim d. [4]Lee w/o"], 20,
    )


def test_seeds_of_a_faulty_match():
    matches, _ = read_results("[1]Ann d. Bo 6-9\nCy d. Ann 6-0 6-0\n[2]Bo d. Cy 6-x\nDee d. Bo 6-1 6-1")
    assert (upsets(matches), [match.games for match in matches]) == ([], [(12, 0), (12, 2)])


def test_report_with_problems():
    text = "R1: Ann d. Bo 6-4 6-4; Cy d. Dee 6-8\n[1]Eve d. Fay 2-0 ret.\nR2: Ann d. d. Eve\nAnn d. Eve 7-6(2) 6-3\n"
    assert report(text) == [
        "R1: 2 matches", "  Ann d. Bo 6-4 6-4", "  [1]Eve d. Fay 2-0 ret.", "R2: 1 matches",
        "  Ann d. Eve 7-6(2) 6-3", "in: Ann", "? 1:34 no such set: 6-8",
        "? 3:12 a name expected, not d.",
    ]
