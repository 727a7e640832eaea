from archive.day import Day, read_shelves

TEXT = """
[N]
N1 Nosferatu, 1922, 1967
N2 Faust, 1926, 2484
N3 Tabu, 1931, 2300
[S]
S1 Stroheim, 1924, 3000
S2 Greed, 1924, 3048!
S3 Queen Kelly, 1929, 2300
"""


def run(text):
    day = Day(read_shelves(TEXT))
    return day.run(text), [shelf.is_busy for shelf in day.shelves.values()]


def test_questions_about_copies():
    answers, busy = run("copy? Faust\nadd N Phantom, 1922, 2905\ncopy? Queen Kelly\ncopy? Jaws\n"
                        "move N3 S\nlist 1930 1939")
    assert (answers, busy) == (['yes', 'N4', 'yes', 'no', 'N3 now on S', 'Tabu'], [False, False])


def test_damaged_reel_ends_the_inspection_only():
    answers, busy = run("inspect S\ninspect N\nlend S1 museum\ninspect S\n"
                        "add S Salome, 1923, 1700\nreturn S1")
    assert (answers, busy) == (
        ['Damaged: S2', '246.2 min', 'S1 to museum', 'Damaged: S2', 'S1', 'S1 back on S'], [False, False],
    )


def test_lending_after_finding():
    answers, busy = run("find N1\nlend N1 ada\nfind N1\nlend S1 ada\nfind S3\n"
                        "lend S3 ada\nlend N2 ada\nout\nreturn N1")
    assert (answers, busy) == (
        ['Nosferatu on N',
         'N1 to ada',
         'not here',
         'S1 to ada',
         'Queen Kelly on S',
         'S3 to ada',
         'LoanError: ada has 3 reels already',
         'N1:ada S1:ada S3:ada',
         'N1 back on N'],
        [False, False],
    )


def test_refused_loans_leave_the_shelf_free():
    answers, busy = run("lend S2 ben\nlend X9 ben\nmove S2 N\ninspect N\n"
                        "inspect S\nmove S1 S\nmove S3 N\ncount")
    assert (answers, busy) == (
        ['LoanError: S2 is broken',
         'NoReel: X9 is not in the house',
         'S2 now on N',
         'Damaged: S2',
         '193.3 min',
         'S1 now on S',
         'S3 now on N',
         '1920s:5 1930s:1'],
        [False, False],
    )


def test_many_questions():
    day = Day(read_shelves(TEXT))
    for _ in range(5):
        day.run("find N2\nfind S3\ncopy? Greed\ncopy? Nosferatu\ninspect S")
    assert day.run("move N2 S\nmove S3 N\nlend N1 eve\nreturn N1\nfind N2\ncopy? Faust") == [
        'N2 now on S', 'S3 now on N', 'N1 to eve', 'N1 back on N', 'Faust on S', 'yes',
    ]


def test_shown_reels_can_be_lent_and_moved():
    answers, busy = run("show N1\nshow S3\nlend N1 fay\nmove S3 N\nshow N1\nevening\nreturn N1")
    assert (answers, busy) == (
        ['71.7 min tonight',
         '170.6 min tonight',
         'N1 to fay',
         'S3 now on N',
         'not here',
         '19:00 Nosferatu 20:26 Queen Kelly',
         'N1 back on N'],
        [False, False],
    )
