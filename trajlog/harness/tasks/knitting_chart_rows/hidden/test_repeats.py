from charts import Chart, decode, encode


def test_two_cables_take_turns():
    chart = Chart("braid", 6)
    for crossing in ("c4f k*2", "k*2 c4b", "c4f k*2", "k*2 c4b"):
        chart.add_row(crossing).add_row("k*6", times=5)
    loaded = decode(encode(chart))
    assert loaded.rows == chart.rows
    assert (loaded.cable_rows(), [len(row) for row in loaded.rows]) == (
        [1, 7, 13, 19], [3, 6, 6, 6, 6, 6, 3, 6, 6, 6, 6, 6, 3, 6, 6, 6, 6, 6, 3, 6, 6, 6, 6, 6],
    )


def test_more_different_rows_than_can_be_copied():
    chart = Chart("sampler", 6)
    for number in (0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 6):
        chart.add_row(f"k*{number} p*{6 - number}", times=1 + number % 3)
    loaded = decode(encode(chart))
    assert [row.count("k") for row in loaded.rows] == [
        0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 5, 6, 5, 5, 5, 4, 4, 3, 2, 2, 2, 1, 1, 0, 6,
    ]


def test_rows_that_only_take_turns():
    chart = Chart("rib", 4)
    for _ in range(5):
        chart.add_row("k*2 p*2").add_row("p*2 k*2", times=2)
    assert decode(encode(chart)).lines()[:7] == [
        " 15 p p k k", " 14 p p k k", " 13 k k p p", " 12 p p k k", " 11 p p k k", " 10 k k p p",
        "  9 p p k k",
    ]


def test_bytes_stay_as_they_are():
    chart = Chart("cable", 8, ["p*2 c4f p*2"])
    chart.add_row("p*2 k*4 p*2", times=3).add_row("p*2 c4f p*2").add_row("p*2 k*4 p*2", times=130)
    data = encode(chart)
    assert data == (
        b'KC1\x05cable\x08\x03\x03c4f\x01k\x01p\x00\x03\x02\x02\x00\x01\x02\x02\x00\x03\x02\x02\x01'
        b'\x04\x02\x02\x02\x02\x01\x02\x01\x02\x02\x81\x01'
    )
    assert decode(data).cable_rows() == [1, 5]
