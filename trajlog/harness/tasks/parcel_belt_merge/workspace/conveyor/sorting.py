"""Sends parcels to chutes."""

from collections import defaultdict


class Sorter:
    """Rules are (name of the chute, condition); the first one that holds wins."""

    def __init__(self, rules, otherwise="rest"):
        self._rules = list(rules)
        self._otherwise = otherwise
        self.chutes = defaultdict(list)

    def chute_for(self, parcel):
        for name, condition in self._rules:
            if condition(parcel):
                return name
        return self._otherwise

    def drop(self, parcel):
        name = self.chute_for(parcel)
        self.chutes[name].append(parcel.code)
        return name


def heavier_than(grams):
    return lambda parcel: parcel.grams > grams


def in_zone(*zones):
    return lambda parcel: parcel.zone in zones
