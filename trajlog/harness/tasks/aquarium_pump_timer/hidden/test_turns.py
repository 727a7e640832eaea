from aquarium import Aquarium, Pump, Schedule, Timer
from aquarium.guards import dry_run, rest_after, slow_down


def test_slower():
    aquarium = Aquarium(60, [Pump("filter", -10, 20, [slow_down(45, 50), dry_run(15)])])
    aquarium.in_service("filter")
    aquarium.advance(400)
    assert (aquarium.log, aquarium.schedule.planned()) == (
        ['0 filter in service', '20 filter on', '40 filter on', '60 filter every 50', '60 filter on',
         '110 filter on', '160 filter on', '210 filter out of service'],
        [],
    )


def test_one_after_the_other():
    aquarium = Aquarium(100, [
        Pump("a", 1, 10, [rest_after(2, ["b"])]), Pump("b", -1, 15, [rest_after(1, ["a"])])])
    aquarium.in_service("a")
    aquarium.advance(60)
    assert (aquarium.log, aquarium.report(), aquarium.schedule.planned()) == (
        ['0 a in service', '10 a on', '20 a on', '30 a out of service', '30 b in service', '45 b on',
         '60 b out of service', '60 a in service'],
        ['a: in service, 2 l', 'b: out of service, 1 l'], [70],
    )


def test_stopped_and_started_within_a_turn():
    schedule, seen = Schedule(), []

    def turn():
        seen.append(schedule.now)
        timer.stop()
        timer.start()

    timer = Timer(schedule, 7, turn)
    timer.start()
    schedule.advance(30)
    timer.restart(3)
    schedule.advance(7)
    assert (seen, schedule.planned(), timer.turns) == ([7, 14, 21, 28, 33, 36], [39], 6)


def test_another_pump_is_stopped():
    aquarium = Aquarium(50)
    aquarium.add(Pump("x", -1, 10, [lambda tank, pump: tank.out_of_service("y") if tank.schedule.now == 20 else None]))
    aquarium.add(Pump("y", -2, 10))
    aquarium.in_service()
    aquarium.advance(40)
    assert (aquarium.log, aquarium.level) == (
        ['0 x in service', '0 y in service', '10 x on', '10 y on', '20 y out of service', '20 x on',
         '30 x on', '40 x on'],
        44,
    )


def test_interval_in_a_turn_that_fails():
    schedule, heard = Schedule(), []

    def turn():
        timer.restart(4)
        if timer.turns == 3:
            raise ValueError(f"at {schedule.now}")

    timer = Timer(schedule, 10, turn, lambda error: heard.append(str(error)))
    timer.start()
    schedule.advance(100)
    assert (heard, timer.running, timer.turns, schedule.planned()) == (["at 18"], False, 3, [])
