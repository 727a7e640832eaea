from shiplog import ShipLog, parse_entry


def entry(line):
    found = parse_entry(line)
    return (found.time, found.latitude, found.longitude, found.course, found.speed, found.remark, found.quotes)


def test_quoted_lines():
    lines = [
        "|   0800\t54-10N 007-50E\t270\t6.5\tcalm",
        "| | 0815\t00-30S 010-00W\t90\t4\train",
        "| > 23:59\t01-00N 2-00E\t180\t12.5\tdark night",
    ]
    assert [entry(line) for line in lines] == [
        ('08:00', 3250, 470, 270, 6.5, 'calm', 1), ('08:15', -30, -600, 90, 4.0, 'rain', 2),
        ('23:59', 60, 120, 180, 12.5, 'dark night', 1),
    ]


def test_two_marks():
    line = "*>  0800\t10-00N 020-00W\t180\t5.5\tset sail\tnow"
    assert (entry(line), sorted(parse_entry(line).marks)) == (
        ('08:00', 600, -1200, 180, 5.5, 'set sail        now', 0), ['corrected', 'officer'],
    )


def test_tab_right_after_the_time():
    lines = [
        "    12:00\t1-00N 2-00E\t45\t5\tx",
        "*   12:00\t1-00N 2-00E\t45\t5\tx",
        "*>  12:00\t1-00N 2-00E\t45\t5\tx",
        "| > 12:00\t1-00N 2-00E\t45\t5\tx",
    ]
    assert [entry(line) for line in lines] == [
        ('12:00', 60, 120, 45, 5.0, 'x', 0), ('12:00', 60, 120, 45, 5.0, 'x', 0),
        ('12:00', 60, 120, 45, 5.0, 'x', 0), ('12:00', 60, 120, 45, 5.0, 'x', 1),
    ]


def test_remark_only():
    lines = [">   0700\t\t\t\t\tanchor up", "| >*0701\t\t\t\t\tmoored"]
    assert [entry(line) for line in lines] == [
        ('07:00', None, None, None, None, 'anchor up', 0),
        ('07:01', None, None, None, None, 'moored', 1),
    ]


def test_corrections():
    log = ShipLog.parse(
        "columns time@5 position@17 course@33 speed@41 remark@49\n"
        "    0800\t\t\t90\t5\tfirst\n" "    0900\t\t\t95\t5\tsecond\n"
        "*   0800\t\t\t91\t6\tcorrected\n")
    assert (log.rows(), log.miles(), log.errors) == (
        [('08:00', None, None, 91, 6.0, 'corrected'), ('09:00', None, None, 95, 5.0, 'second')], 6.0,
        [],
    )
