from maplayer.layerfile import decode_points, dumps, encode_points, loads
from maplayer.shapes import Layer, Path


def test_slow_track_arrives():
    points = [(7 + i * 0.000004, 50 - i * 0.000013) for i in range(1001)]
    loaded = decode_points(encode_points(points))
    assert [loaded[0], loaded[1], loaded[3], loaded[500], loaded[1000]] == [
        (7.0, 50.0), (7.0, 49.99999), (7.00001, 49.99996), (7.002, 49.9935), (7.004, 49.987)
    ]


def test_points_in_the_middle_of_a_closed_path():
    corners = [(0.0, 0.0), (0.000014, 0.000004), (0.000028, 0.000008), (0.000042, 0.000012), (0.000056, 0.000016),
               (0.0, 0.0)]
    path = loads(dumps(Layer("x", [Path(corners)]))).paths[0]
    assert path.points == [
        (0.0, 0.0), (0.00001, 0.0), (0.00003, 0.00001), (0.00004, 0.00001), (0.00006, 0.00002), (0.0, 0.0)
    ]


def test_first_points_with_more_digits():
    assert decode_points(encode_points([(1.000006, 2.000006), (1.000012, 2.000012), (1.000018, 2.000018)])) == [
        (1.00001, 2.00001), (1.00001, 2.00001), (1.00002, 2.00002)
    ]


def test_rounding_a_loaded_layer_changes_nothing():
    path = Path([(i * 0.0000033, -i * 0.0000077) for i in range(400)])
    text = dumps(Layer("t", [path]))
    again = loads(text)
    assert dumps(again) == text
    assert again.paths[0].points[399] == (0.00132, -0.00307)


def test_files_of_the_previous_release():
    text = '{"layer": "old", "paths": [{"label": "r", "points": "_ibE_ibE_t`BA?_t`B~s`B~s`B"}]}'
    assert loads(text).paths[0].points == [(1.0, 1.0), (1.5, 1.00001), (1.5, 1.50001), (1.0, 1.00001)]
