from yarn.pattern import Pattern, spelled


def test_plain_rows():
    pattern = Pattern("cast on 10\nk10\np2, k6, p2\n[k, p] x 5\n* k2, p2; to last 2, k2")
    assert (pattern.widths(), pattern.problems) == ([10, 10, 10, 10], [])
    assert spelled(pattern.rows[3]) == "k k p p k k p p k k"


def test_lace_row():
    pattern = Pattern("cast on 10\nk2, [yo, ssk] x 3, k2\np10\nk2, * k2tog, yo; to last 2, k2")
    assert (pattern.widths(), pattern.problems) == ([10, 10, 10], [])


def test_increases():
    pattern = Pattern("cast on 4\nk, m1, kfb2, yo, k")
    assert (pattern.widths(), pattern.legend()[:2]) == ([8], ["k: knit", "kfb: knit front and back"])


def test_problems():
    pattern = Pattern("cast on 5\nk4\nk5, q2\nk6\n* yo; to end\n[k5")
    assert pattern.problems == [
        "1 stitches are left over in row 1",
        "unexpected 'q2' in row 2",
        "k needs 1 stitches, 0 left in row 3",
        "a repeat that takes no stitches in row 4",
        "unexpected 'end' in row 5",
    ]
