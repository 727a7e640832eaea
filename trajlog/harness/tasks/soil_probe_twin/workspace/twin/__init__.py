"""A software twin of the soil probe firmware."""
