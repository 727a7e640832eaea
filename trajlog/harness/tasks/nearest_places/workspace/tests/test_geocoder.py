import pytest
from geo.geocoder import Geocoder
from geo.places import Place, PlaceError, read


@pytest.fixture
def geocoder():
    return Geocoder(read("places.csv"))


def test_names(geocoder):
    assert (geocoder.locate("bergen").x, geocoder.locate("Cella, b").kind) == (9.0, "village")
    with pytest.raises(PlaceError, match="0 places for 'Cella, A'"):
        geocoder.locate("Cella, A")


def test_far_points(geocoder):
    assert [geocoder.nearest(8.5, 1.0), geocoder.nearest(-4, -1)] == [("Bergen", 0.5), ("Castel", 0.361)]


def test_two_points_of_one_cell(geocoder):
    assert [geocoder.nearest(2.1, 3.25), geocoder.nearest(2.85, 3.2)] == [("Aldorf", 0.05), ("Amsee", 0.05)]


def test_kinds_and_countries(geocoder):
    found = [geocoder.nearest(2.5, 3.5, kind="town"), geocoder.nearest(2.5, 3.5, country="B")]
    assert found == [("Aldorf", 0.5), ("Cella", 0.206)]
    assert geocoder.nearest(0, 0, kind="city") is None


def test_new_places_count_at_once(geocoder):
    geocoder.nearest(9.4, 1.4), geocoder.nearest(-4.4, -0.4)
    geocoder.add(Place("Burgau", "village", "A", 9.4, 1.5))
    assert geocoder.nearest(9.4, 1.4) == ("Burgau", 0.1)
    assert (geocoder.nearest(-4.4, -0.4), geocoder.scans) == (("Castel", 0.361), 3)
