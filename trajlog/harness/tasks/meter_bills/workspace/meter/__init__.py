"""Electricity bills from meter readings."""
