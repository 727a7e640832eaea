"""Timetables of tram lines."""
