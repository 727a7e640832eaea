from course import Course, Leg
from race import Boat, Race
from wind import WindLog, off_wind


def test_angles_around_the_compass():
    pairs = [(10, 350), (350, 10), (5, 275), (300, 20), (0, 181), (359, 180), (180, 0), (90, 300)]
    assert [off_wind(heading, wind) for heading, wind in pairs] == [20, 20, 90, 80, 179, 179, 180, 150]


def test_headings_beyond_a_turn():
    pairs = [(370, 0), (-30, 300), (725, 350), (-190, 350), (540, 0), (-10, 10)]
    assert [off_wind(heading, wind) for heading, wind in pairs] == [10, 30, 15, 180, 180, 20]


def test_points_of_sail():
    assert [Leg(heading, 1).point_of_sail(345) for heading in (0, 44, 45, 46, 105, 106, 224, 225, 284, 286)] == [
        'beat', 'beat', 'reach', 'reach', 'reach', 'run', 'run', 'reach', 'reach', 'beat',
    ]


def test_sailed_miles():
    course = Course.parse("D: 10/2 130/1 250/1.5 x2")
    assert course.sailed([355, 5, 350, 310, 300, 10]) == {"beat": 2.0, "reach": 5.0, "run": 2.0}


def test_results_with_a_turning_wind():
    log = WindLog([(0, 5), (50, 345), (700, 300), (1500, 340), (2000, 20)])
    race = Race(Course.parse("E: 20/1 200/1 330/0.5"), log)
    for name, times in {"Auk": (700, 1400, 1900), "Kite": (800, 1550, 2300), "Rook": (650, 1600, 1999)}.items():
        race.enter(Boat(name, 800 + len(name) * 20, 700, 600))
        for second in times:
            race.mark(name, second)
    assert race.results() == [(1, "Auk", -90), (2, "Rook", -21), (3, "Kite", 380)]
