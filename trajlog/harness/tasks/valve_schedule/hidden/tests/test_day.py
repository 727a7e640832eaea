from irrigation.planner import Bed, Planner, Valve


def day(*beds, flow=10, delay=None):
    log = []
    planner = Planner()
    planner.schedule([Bed(name, Valve(number, log), slots) for name, number, slots in beds], flow)
    if delay:
        planner.clock.run_until(delay[0])
        planner.rain_delay(delay[1])
    planner.clock.run_until(1440)
    return log, planner.litres


def test_several_slots_with_other_minutes():
    log, litres = day(("roses", 1, [(300, 20), (900, 4)]), ("beans", 2, [(500, 7)]))
    assert [text for _, _, text in log if text != "open"] == ["closed after 20", "closed after 7", "closed after 4"]
    assert litres == {"roses": 240, "beans": 70}


def test_slots_of_one_bed():
    log, litres = day(("kale", 5, [(10, 3), (20, 6), (40, 9)]), flow=2)
    assert log[1::2] == [(13, 5, "closed after 3"), (26, 5, "closed after 6"), (49, 5, "closed after 9")]
    assert litres == {"kale": 36}


def test_same_start_runs_in_plan_order():
    log, _ = day(("c", 3, [(60, 2)]), ("a", 1, [(60, 2)]), ("b", 2, [(60, 1)]))
    assert [(minute, number) for minute, number, _ in log] == [(60, 3), (60, 1), (60, 2), (61, 2), (62, 3), (62, 1)]


def test_rain_delay_keeps_the_valves():
    log, litres = day(("a", 1, [(60, 30)]), ("b", 2, [(80, 5)]), delay=(70, 100))
    assert [(minute, number) for minute, number, _ in log] == [(60, 1), (180, 2), (185, 2), (190, 1)]
    assert litres == {"b": 50, "a": 300}
