from rota.day import play

CREW = ["+ ada 1999", "+ ben 2004", "+ cy 2010 van bus", "+ dee 2012"]
RUNS = ["07:00 a", "07:30 b", "08:00 c", "08:30 d", "09:00 e"]


def test_anybody_leaves_at_any_time():
    seen = {}
    for done in range(4):
        for name in ("ada", "ben", "cy", "dee"):
            roster, _ = play([*CREW, *RUNS[:done], f"- {name}"])
            seen.setdefault(done, []).append(" ".join(n[0] for n in roster.order()))
    assert seen == {
        0: ["b c d", "a c d", "a b d", "a b c"],
        1: ["b c d", "c d a", "b d a", "b c a"],
        2: ["c d b", "c d a", "d a b", "c a b"],
        3: ["d b c", "d a c", "d a b", "a b c"],
    }


def test_anybody_joins_at_any_time():
    seen = {}
    for done in range(4):
        for year in (1980, 2002, 2007, 2011, 2020):
            roster, _ = play([*CREW, *RUNS[:done], f"+ new {year}"])
            seen.setdefault(done, []).append("".join(n[0] for n in roster.order()))
    assert seen == {
        0: ["abcdn", "anbcd", "abncd", "abcnd", "abcdn"],
        1: ["bcdna", "bcdan", "bncda", "bcnda", "bcdna"],
        2: ["cdnab", "cdanb", "cdabn", "cndab", "cdnab"],
        3: ["dnabc", "danbc", "dabnc", "dabcn", "dnabc"],
    }


def test_the_next_one_leaves_and_comes_back():
    roster, problems = play([*CREW, *RUNS[:3], "- dee", "+ dee 2012", "10:00 x", "- ada", "- ben", "- cy", "11:00 y"])
    assert (roster.given[-2:], problems) == ([("10:00", "ada"), ("11:00", "dee")], [])


def test_empty_for_a_while():
    lines = ["+ ada 1999", "07:00 a", "- ada", "07:30 b", "+ cy 2010", "+ ben 2004", "08:00 c", "08:30 d"]
    roster, problems = play(lines)
    assert (roster.given, problems) == (
        [("07:00", "ada"), ("08:00", "cy"), ("08:30", "ben")],
        ["line 4: nobody for the 07:30 to b (van)"],
    )
