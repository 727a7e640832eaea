"""A small order matching desk."""
