"""A diary of blood pressure readings."""
