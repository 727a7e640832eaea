import pytest
from changes import ChangeError, is_true, plain_hunt, printed, swap, touch


def test_one_change():
    assert swap([1, 2, 3, 4, 5], (3,)) == [2, 1, 3, 5, 4]


def test_plain_hunt_is_printed():
    assert printed(plain_hunt(4)) == ["1234", "2143", "2413", "4231", "4321", "3412", "3142", "1324", "1234"]


def test_plain_hunt_is_true():
    assert [is_true(plain_hunt(bells)) for bells in (3, 4, 5, 6)] == [True, True, True, True]


def test_row_by_row():
    assert [row[0] for row in touch(6, ["plain"])] == [1, 2, 2, 4, 4, 6, 6, 5, 5, 3, 3, 1, 1]


def test_unknown_calls():
    with pytest.raises(ChangeError, match="unknown call 'single'"):
        list(touch(6, ["single"]))
