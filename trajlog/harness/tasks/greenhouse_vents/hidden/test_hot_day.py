from concurrent.futures import Future

from greenhouse import Controller, Reading
from greenhouse.report import summary


class Stepwise:
    def __init__(self):
        self.jobs = []

    def submit(self, function, *args):
        self.jobs.append((Future(), function, args))
        return self.jobs[-1][0]

    def finish(self, *indexes):
        for index in indexes:
            future, function, args = self.jobs[index]
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function(*args))
            except ArithmeticError as error:
                future.set_exception(error)


def started(*celsius, zone="n", humidity=50):
    steps = Stepwise()
    control = Controller(steps, ["n", "s"])
    for value in celsius:
        control.read(Reading(zone, value, humidity))
    return steps, control


def test_any_order():
    steps, control = started(22.5, 23, 23.5, 24, 24.5, 25)
    steps.finish(1, 0, 4, 2, 3, 5)
    assert (control.zone("n").log, control.zone("n").stale) == (["n #2 -> 20", "n #5 -> 50", "n #6 -> 60"], 3)


def test_earlier_results_count_meanwhile():
    steps, control = started(23, 24, 25, 26)
    seen = []
    for index in (0, 2, 1):
        steps.finish(index)
        seen.append((control.openings()["n"], control.pending()))
    assert seen == [(20, 3), (60, 2), (60, 1)]


def test_newest_fails():
    steps, control = started(23, 25)
    control.read(Reading("n", 20, -1))
    steps.finish(2, 1, 0)
    assert (control.zone("n").log, summary(control.zone("n"))) == (
        ['n #3 failed: humidity -1', 'n #2 -> 60'], 'n: 60 % (1 moves, 60; 1 stale, 1 failed)',
    )


def test_hand_beats_what_is_under_way():
    steps, control = started(23, 25)
    control.set_by_hand("n", 15)
    control.read(Reading("n", 24, 50))
    steps.finish(0)
    first = control.openings()["n"]
    steps.finish(2, 1)
    assert (first, control.zone("n").log, control.zone("n").stale) == (15, ["n by hand -> 15", "n #4 -> 40"], 2)


def test_closing():
    steps, control = started(23, 25, zone="s")
    steps.finish(1)
    control.close_all()
    steps.finish(0)
    control.read(Reading("s", 23, 50))
    steps.finish(2)
    assert (control.zone("s").log, control.openings(), control.pending()) == (
        ['s #2 -> 60', 's #1 failed: cancelled', 's by hand -> 0', 's #4 -> 20'], {'n': 0, 's': 20}, 0,
    )
