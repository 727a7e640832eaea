"""Point a small telescope."""
