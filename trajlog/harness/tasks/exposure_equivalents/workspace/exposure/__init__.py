"""Arithmetic for photographic exposure."""
