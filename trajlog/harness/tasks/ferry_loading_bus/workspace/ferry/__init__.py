"""Check-in of a car ferry."""
