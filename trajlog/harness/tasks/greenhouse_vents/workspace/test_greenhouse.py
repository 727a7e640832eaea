from concurrent.futures import Future

import pytest
from greenhouse import Controller, DayPlan, PlanError, Reading, wanted_opening
from greenhouse.report import parse_readings, summary


class Later:
    """An executor that computes when it is told to."""

    def __init__(self):
        self.jobs = []

    def submit(self, function, *args):
        self.jobs.append((Future(), function, args))
        return self.jobs[-1][0]

    def finish(self, index):
        future, function, args = self.jobs[index]
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function(*args))
            except ArithmeticError as error:
                future.set_exception(error)


def test_model():
    readings = parse_readings("n 22 40\nn 23.1 40\nn 30 40\nn 20 90\nn 30 40 20\n")
    assert [wanted_opening(reading) for reading in readings] == [0, 20, 100, 30, 0]


def test_results_in_order():
    later = Later()
    control = Controller(later, ["north"])
    for index, celsius in enumerate((23, 24, 26)):
        control.read(Reading("north", celsius, 50))
        later.finish(index)
    assert control.zone("north").log == ["north #1 -> 20", "north #2 -> 40", "north #3 -> 80"]
    assert summary(control.zone("north")) == "north: 80 % (3 moves, 80; 0 stale, 0 failed)"


def test_late_result():
    later = Later()
    control = Controller(later, ["north", "south"])
    numbers = [control.read(Reading(*row)) for row in LATE]
    for index in (3, 2, 0, 1):
        later.finish(index)
    assert (numbers, control.openings()) == ([1, 1, 2, 3], {"north": 80, "south": 60})
    assert control.zone("north").log == ["north #3 -> 80"]


LATE = (("north", 23, 50), ("south", 25, 50), ("north", 24, 50), ("north", 26, 50))


def test_plan_of_the_day():
    plan = DayPlan.parse("06:00 20; 10:30 24.5; 19:00 18;")
    assert [plan.target(minute) for minute in (0, 360, 629, 630, 1500)] == [18.0, 20.0, 20.0, 24.5, 18.0]
    later = Later()
    control = Controller(later, ["north"], plan.model(lambda: 700))
    control.read(Reading("north", 26, 50))
    later.finish(0)
    assert control.openings() == {"north": 30}
    with pytest.raises(PlanError, match="no target: '7 pm'"):
        DayPlan.parse("06:00 20; 7 pm")


def test_failure():
    later = Later()
    control = Controller(later, ["north"])
    control.read(Reading("north", 23, 120))
    later.finish(0)
    assert (control.zone("north").log, control.pending()) == (["north #1 failed: humidity 120"], 0)


def test_by_hand():
    control = Controller(Later(), ["north"])
    control.set_by_hand("north", 55)
    with pytest.raises(ValueError, match="no opening"):
        control.set_by_hand("north", 101)
    assert control.openings() == {"north": 55}
