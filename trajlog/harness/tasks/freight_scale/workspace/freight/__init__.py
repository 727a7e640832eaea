"""Freight quotes from a tariff."""
