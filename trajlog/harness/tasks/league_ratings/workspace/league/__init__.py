"""Ratings of a sports league."""
