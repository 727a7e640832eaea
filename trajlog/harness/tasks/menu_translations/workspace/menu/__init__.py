"""Menus in many languages."""
