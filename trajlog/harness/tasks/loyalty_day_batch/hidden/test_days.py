import pytest
from programme import Programme
from receipts import BookingError


def make():
    programme = Programme()
    for number, name in (("1", "Cleo"), ("2", "Dan"), ("3", "Eve")):
        programme.join(number, name)
    return programme


def test_earn_gift_and_spend_on_one_day():
    programme = make()
    programme.book_day("buy 1 100.00\ngift 1 2 120\nspend 2 100 mug\nbuy 2 7.77\ngift 2 3 5\nspend 1 80 pen\n")
    assert (programme.points(), programme.vouchers()) == ({'1': 0, '2': 30, '3': 5}, [('2', 'mug'), ('1', 'pen')])


def test_level_rises_during_the_day():
    programme = make()
    programme.book_day("buy 1 250.00\nbuy 1 100.00\nbuy 1 500.00\nbuy 1 10.00\n")
    assert programme.member("1") == {'name': 'Cleo', 'points': 2030, 'earned': 2030, 'level': 'gold'}


def test_points_cannot_be_spent_twice():
    programme = make()
    programme.book_day("buy 3 60.00")
    with pytest.raises(BookingError) as caught:
        programme.book_day("spend 3 100 cup\nbuy 1 5.00\nspend 3 100 cup\n")
    assert str(caught.value) == 'line 3: 3 has only 20 points'
    assert (programme.points(), programme.vouchers()) == ({'1': 0, '2': 0, '3': 120}, [])


def test_corrected_file_is_booked_once():
    programme = make()
    day = "buy 1 300.00\nspend 1 10 pin\ngift 1 9 20\nbuy 1 2.00\n"
    with pytest.raises(BookingError):
        programme.book_day(day)
    assert programme.member("1") == {'name': 'Cleo', 'points': 0, 'earned': 0, 'level': 'basic'}
    programme.book_day(day.replace("gift 1 9", "gift 1 2"))
    assert (programme.points(), programme.vouchers(), programme.member("1")["level"]) == (
        {'1': 575, '2': 20, '3': 0}, [('1', 'pin')], 'silver',
    )
