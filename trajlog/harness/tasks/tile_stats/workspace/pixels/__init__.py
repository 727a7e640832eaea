"""Statistics of grey images."""
