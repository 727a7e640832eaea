from tram.band import Band
from tram.line import Line, hour_rows, poster


def test_seven_an_hour():
    assert list(Band.parse("6:00-8:00 every 7/h").departures()) == [
        360, 369, 377, 386, 394, 403, 411, 420, 429, 437, 446, 454, 463, 471,
    ]


def test_end_of_the_band():
    found = [list(Band.parse(text).departures())[-2:] for text in
             ("6:00-6:20 every 6 2/3", "6:00-6:21 every 6 2/3", "6:00-6:30 every 3.75", "6:03-6:59 every 11.2")]
    assert found == [[367, 373], [373, 380], [383, 386], [397, 408]]


def test_rounded_onto_the_end():
    line = Line.parse("line 9, 20 min\n6:00-6:15 every 4.9\n6:15-6:30 every 5")
    assert (line.departures(), line.gaps()) == ([360, 365, 370, 375, 375, 380, 385], {0: 1, 5: 5})


def test_bands_one_after_the_other():
    line = Line.parse("line 4, 61 min\n5:30-6:10 every 9/h\n6:10-7:10 every 13/h")
    assert hour_rows(line) == {5: [30, 37, 43, 50, 57], 6: [3, 10, 15, 19, 24, 28, 33, 38, 42, 47, 52, 56], 7: [1, 5]}


def test_figures():
    line = Line.parse("line 1, 50 min\n6:00-9:00 every 6.25\n9:00-10:00 every 12.4")
    assert (line.vehicles(), line.gaps(), str(line.mean_wait(380, 420)), line.next_after(530)) == (
        9, {5: 1, 6: 21, 7: 7, 12: 2, 13: 2}, '111/40', 535,
    )


def test_poster():
    assert poster(Line.parse("line 5, 20 min\n23:00-24:30 every 12.5")).splitlines() == [
        '23 | 00 13 25 38 50', '24 | 03 15 28',
    ]
