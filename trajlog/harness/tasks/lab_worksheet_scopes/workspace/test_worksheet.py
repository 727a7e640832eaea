import pytest
from lab.errors import WorksheetError
from lab.sheet_report import outside, results_of, table
from lab.worksheet import Worksheet


def test_expressions():
    text = "let a = 3\nresult x = -(a + 1) * 2 / 4\nresult y = mean(a, 4, 8) - min(a, 1)"
    assert results_of(text) == [("", "x", -2.0), ("", "y", 4.0)]


def test_blocks_forget_their_values():
    with pytest.raises(WorksheetError, match="line 4: raw is not defined"):
        results_of("batch B\nlet raw = 2\nend\nresult r = raw")


def test_changed_factor_counts_for_the_next_sample():
    text = """
    batch B7
      let factor = 2
      sample S1
        result r = 10 * factor
        factor = 3
        result r2 = 10 * factor
      end
      sample S2
        result r = 10 * factor
      end
    end
    """
    assert results_of(text) == [("S1", "r", 20.0), ("S1", "r2", 30.0), ("S2", "r", 30.0)]


def test_tables():
    results = Worksheet({"f": 5}).run("batch B\nrepeat 2 sample T\nresult q = f\nend\nend")
    assert table(results) == {"B": {"T.1": {"q": 5.0}, "T.2": {"q": 5.0}}}
    assert outside(results, "q", 6, 9) == ["T.1", "T.2"]


def test_missing_end():
    with pytest.raises(WorksheetError, match="line 1: no end"):
        results_of("batch B\nlet x = 1\n")
