"""Conditions on entries, to be combined by `all_of`."""

from logmerge.parse import LEVELS


def at_least(level):
    rank = LEVELS.index(level)
    return lambda entry: LEVELS.index(entry.level) >= rank


def contains(word):
    return lambda entry: word.lower() in entry.message.lower()


def between(first, last):
    return lambda entry: first <= entry.seconds <= last


def all_of(*conditions):
    return lambda entry: all(condition(entry) for condition in conditions)
