from align import Feed, align

SHOTS = [("street", 0, 99), ("kitchen", 100, 249), ("car", 250, 400)]


def test_pause_at_the_first_frame():
    found = align(SHOTS, Feed(["0|0|Overture", "0|0|", "", "20|30|Taxi!\n", "\n", "101|102|Soup?"]))
    assert (found.lines(), found.untimed, found.outside) == (["street: Taxi!", "kitchen: Soup?"], 0, [])


def test_many_empty_lines():
    lines = [line for frame in range(5, 300, 60) for line in ("-|-|", f"{frame}|{frame + 5}|at {frame}", "- | - | ")]
    found = align(SHOTS, Feed(lines))
    assert (found.lines(), found.untimed) == (["street: at 5 / at 65", "kitchen: at 125 / at 185 / at 245"], 10)


def test_pauses_clear_a_shot():
    found = align(SHOTS, Feed(["-|-|", "120|130|One", "140|150|", "160|170|Two|three", "260|270|x", "261|262|"]))
    assert (found.lines(), found.untimed) == (["kitchen: Two|three"], 1)


def test_end_comes_again():
    feed = Feed(["1|2|a", "-|-|", "3|4|b"])
    first, second = align(SHOTS, feed), align(SHOTS, feed)
    assert (first.lines(), first.untimed, second.lines()) == (["street: a / b"], 1, [])
