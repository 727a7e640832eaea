"""A word game on a rack of letters."""
