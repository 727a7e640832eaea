import pytest
from door import Door


def test_closed_after_error():
    d = Door()
    with pytest.raises(KeyError), d:
        raise KeyError("x")
    assert not d.is_open
