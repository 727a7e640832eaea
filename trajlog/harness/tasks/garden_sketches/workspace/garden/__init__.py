from garden.layers import Layer, MapError
from garden.maps import GardenMap
from garden.species import SPECIES, Species

__all__ = ["SPECIES", "GardenMap", "Layer", "MapError", "Species"]
