from yarn.pattern import Pattern, spelled


def test_all_common_names():
    pattern = Pattern("cast on 17\nssk p2tog sk2p k2tog m1 kfb yo s k p k2tog2\nk,ssk2,p2tog,k2")
    assert [spelled(row) for row in pattern.rows] == ["ssk p2tog sk2p k2tog m1 kfb yo s k p k2tog k2tog"]
    assert (pattern.widths(), pattern.problems) == ([13], ["4 stitches are left over in row 2"])


def test_own_stitches():
    definitions = "define kb 1 1 knit into the back\ndefine kbtog 2 1\ndefine yok 1 3"
    pattern = Pattern(f"cast on 9\n{definitions}\nkb2, kbtog, k, yok, yo, kb, p2")
    assert [spelled(row) for row in pattern.rows] == ["kb kb kbtog k yok yo kb p p"]
    assert pattern.legend() == [
        "k: knit", "kb: knit into the back", "kbtog: ?", "p: purl", "yo: yarn over", "yok: ?",
    ]


def test_own_stitches_in_any_order():
    names = ["define pb 1 1", "define pbb 2 2", "define pb2 3 3", "define sp 2 1"]
    found = []
    for definitions in (names, names[::-1]):
        pattern = Pattern("\n".join(["cast on 12", *definitions, "pb, pbb, pb2, pb22, sp"]))
        found.append((pattern.problems, pattern.width))
        pattern = Pattern("\n".join(["cast on 14", *definitions, "pb, pbb, pb2, pb22, sp"]))
        found.append([spelled(row) for row in pattern.rows])
    assert found == [
        (["sp needs 2 stitches, 0 left in row 1"], 12), ["pb pbb pb2 pb2 pb2 sp"],
        (["sp needs 2 stitches, 0 left in row 1"], 12), ["pb pbb pb2 pb2 pb2 sp"],
    ]


def test_own_stitches_stay_in_their_pattern():
    first = Pattern("cast on 4\ndefine ks 2 2 both\nks, ks")
    second = Pattern("cast on 4\nks, ks")
    assert ([spelled(row) for row in (*first.rows, *second.rows)], Pattern("cast on 2\nkb, k").problems) == (
        ['ks ks', 'k s k s'], ["unexpected 'b' in row 1"],
    )


def test_counts_behind_names():
    pattern = Pattern("cast on 6\nk2, m13, k2tog2\nsk2p, yo2, sk2p1, k")
    assert ([spelled(row) for row in pattern.rows], pattern.problems) == (
        ["k k m1 m1 m1 k2tog k2tog", "sk2p yo yo sk2p k"], [],
    )
