import json

from vehicles import Van
from workshop import Workshop, leaflet, load, month


def make():
    return Workshop([Van("X", month(2018, 1), 16_000), Van("Y", month(2019, 7), 130_000)])


def test_histories_are_separate():
    workshop = make()
    workshop.finish("X", ["brake_fluid"], month(2020, 1))
    workshop.finish("Y", ["cabin_filter", "timing_belt"], month(2020, 2))
    assert workshop.plan(month(2020, 3)) == {'X': ['Oil', 'Tyres', 'Cabin filter'], 'Y': ['Oil', 'Air filter']}


def test_tyres_do_not_count_as_brake_fluid():
    workshop = make()
    workshop.finish("X", ["tyres", "oil"], month(2020, 1))
    assert workshop.plan(month(2020, 1)) == {
        'X': ['Cabin filter', 'Brake fluid'], 'Y': ['Oil', 'Air filter', 'Cabin filter', 'Timing belt'],
    }


def test_counts():
    workshop = make()
    workshop.finish("X", ["oil", "cabin_filter", "cabin_filter"], month(2020, 1))
    workshop.finish("Y", ["brake_fluid"], month(2020, 1))
    assert workshop.counts() == {
        'oil': 1, 'tyres': 0, 'air_filter': 0, 'cabin_filter': 2, 'brake_fluid': 1, 'timing_belt': 0,
    }


def test_stored_names():
    workshop = make()
    workshop.finish("Y", ["cabin_filter", "brake_fluid"], month(2020, 1))
    stored = json.loads(workshop.dump())
    assert stored[1]["history"] == {'brake_fluid': [[130000, 240]], 'cabin_filter': [[130000, 240]]}
    assert load(workshop.dump()).plan(month(2021, 2))["Y"] == ['Oil', 'Air filter', 'Cabin filter', 'Timing belt']


def test_leaflet():
    assert leaflet() == [
        'Oil: every 15000 km or 12 months',
        'Tyres: every 24 months',
        'Air filter: every 30000 km',
        'Cabin filter: every 15000 km or 12 months',
        'Brake fluid: every 24 months',
        'Timing belt: every 120000 km or 72 months',
    ]
