"""Tide tables."""
