import pytest
from lab.errors import WorksheetError
from lab.sheet_report import results_of


def test_change_of_a_value_of_the_lab():
    text = """
    batch B1
      sample S1
        dilution = dilution * 2
        result d = dilution
      end
    end
    batch B2
      sample S2
        result d = dilution
        dilution = 7
      end
      result d = dilution
    end
    result d = dilution
    """
    assert results_of(text, dilution=10) == [('S1', 'd', 20.0), ('S2', 'd', 20.0), ('B2', 'd', 7.0), ('', 'd', 7.0)]


def test_repeat_accumulates():
    text = """
    let n = 1
    batch B
      let k = 0
      repeat 4 sample T
        n = n * 3
        k = k + n
      end
      result k = k
    end
    result n = n
    """
    assert results_of(text) == [('B', 'k', 120.0), ('', 'n', 81.0)]


def test_let_hides_and_end_shows_again():
    text = """
    let f = 2
    batch B
      let f = 20
      sample S1
        let f = 200
        f = f + 1
        result f = f
      end
      f = f + 1
      result f = f
    end
    f = f + 0.5
    result f = f
    """
    assert results_of(text) == [('S1', 'f', 201.0), ('B', 'f', 21.0), ('', 'f', 2.5)]


def test_drop_of_an_outer_value():
    text = """
    let f = 2
    batch B
      let f = 3
      sample S1
        drop f
        result f = f
        f = 9
      end
      sample S2
        result f = f
        drop f
      end
    end
    """
    assert results_of(text) == [('S1', 'f', 2.0), ('S2', 'f', 9.0)]
    with pytest.raises(WorksheetError) as caught:
        results_of(text + "result f = f")
    assert str(caught.value) == 'line 15: f is not defined'


def test_unknown_names_are_refused():
    reasons = []
    for text in ("x = 1", "batch B\nsample S\ny = 2\nend\nend", "drop z", "let a = 1\ndrop a\na = 2"):
        with pytest.raises(WorksheetError) as caught:
            results_of(text)
        reasons.append(str(caught.value))
    assert reasons == [
        'line 1: x is not defined',
        'line 3: y is not defined',
        'line 1: z is not defined',
        'line 3: a is not defined',
    ]
