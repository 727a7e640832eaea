from geo.geocoder import Geocoder
from geo.places import Place, read


def brute(places, x, y):
    return min((place.distance(x, y), place.name) for place in places)[1]


def test_grid_of_points_against_a_plain_search():
    places = read("places.csv")
    geocoder = Geocoder(places)
    points = [(-5 + i * 0.37, -2 + j * 0.41) for i in range(40) for j in range(17)]
    wrong = sum(geocoder.nearest(x, y)[0] != brute(places, x, y) for x, y in points)
    cells = {(int(x // 1), int(y // 1)) for x, y in points}
    assert (wrong, geocoder.scans) == (0, 105)
    assert len(cells) == 105


def test_distances_in_one_cell():
    geocoder = Geocoder(read("places.csv"))
    found = [geocoder.nearest(*point) for point in [(2.1, 3.2), (2.2, 3.2), (2.5, 3.8), (2.6, 3.3), (2.55, 3.9)]]
    assert found == [("Aldorf", 0.0), ("Aldorf", 0.1), ("Brunn", 0.1), ("Cella", 0.05), ("Brunn", 0.05)]
    assert geocoder.scans == 1


def test_place_outside_of_the_cell_is_nearest_at_its_border():
    spots = {"In": (0.1, 0.5), "Out": (1.2, 0.5), "Up": (0.5, 1.4)}
    geocoder = Geocoder(Place(name, "town", "A", *spot) for name, spot in spots.items())
    found = [geocoder.nearest(*point)[0] for point in [(0.2, 0.5), (0.95, 0.5), (0.5, 0.98), (0.99, 0.01)]]
    assert (found, geocoder.scans) == (["In", "Out", "Up", "Out"], 1)


def test_route_passes_small_places():
    geocoder = Geocoder(read("places.csv"))
    there = geocoder.route((1.9, 3.2), (3.1, 3.3), 0.1)
    back = geocoder.route((3.1, 3.3), (1.9, 3.2), 0.1)
    assert (there, back) == (["Aldorf", "Cella", "Amsee"], ["Amsee", "Cella", "Aldorf"])
    assert geocoder.route((1.9, 3.2), (3.1, 3.3), country="A") == ["Aldorf", "Amsee"]


def test_ties_go_to_the_first_name():
    geocoder = Geocoder([Place("Zet", "town", "A", 0, 0.5), Place("Abe", "town", "A", 1, 0.5)])
    found = [geocoder.nearest(*point) for point in [(0.25, 0.5), (0.5, 0.5), (0.75, 0.5)]]
    assert found == [("Zet", 0.25), ("Abe", 0.5), ("Abe", 0.25)]


def test_new_place_at_the_far_side_of_a_cell():
    geocoder = Geocoder([Place("Old", "town", "A", 0.1, 0.1), Place("Far", "town", "A", 30, 30)])
    seen = [geocoder.nearest(0.2, 0.2), geocoder.nearest(30.5, 30.5)]
    geocoder.add(Place("New", "town", "A", 0.9, 0.9))
    seen += [geocoder.nearest(0.8, 0.8), geocoder.nearest(0.2, 0.2), geocoder.nearest(30.5, 30.5)]
    assert seen == [("Old", 0.141), ("Far", 0.707), ("New", 0.141), ("Old", 0.141), ("Far", 0.707)]
    assert geocoder.scans == 3
