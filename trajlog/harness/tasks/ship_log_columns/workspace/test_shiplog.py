import pytest
from shiplog import Layout, LayoutError, ShipLog, expand

PLAIN = """
    08:00       54-10N 007-50E  270     6.5     wind backs
>   09:30       54-12N 007-38E  275     7.0
"""


def test_plain():
    log = ShipLog.parse(PLAIN)
    assert log.rows() == [("08:00", 3250, 470, 270, 6.5, "wind backs"), ("09:30", 3252, 458, 275, 7.0, "")]
    assert (log.miles(), log.errors) == (9.75, [])


def test_tabs_and_marks():
    log = ShipLog.parse("    0800\t54-10N 007-50E\t270\t6.5\twind backs\n"
                        ">   0930\t54-12N 007-38E\t275\t7.0\tfog\n")
    assert (log.rows(), log.errors) == (
        [('08:00', 3250, 470, 270, 6.5, 'wind backs'), ('09:30', 3252, 458, 275, 7.0, 'fog')], [],
    )


def test_expand():
    assert [len(expand(text, column)) for text, column in (("\t", 0), ("ab\tc", 0), ("\t", 5), ("a\t\t", 7))] == [
        8, 9, 3, 17,
    ]


def test_layout():
    with pytest.raises(LayoutError, match="columns"):
        Layout.parse("a@5 b@5")
    assert Layout.parse("a@1 b@4").cut("xy zz top") == {"a": "xy", "b": "zz top"}


def test_errors_are_collected():
    log = ShipLog.parse("    08:00\tnowhere\n\n    8am\n    09:00\n")
    assert (log.errors, len(log.entries)) == ([(1, "no position: 'nowhere'"), (3, "no time: '8am'")], 1)
