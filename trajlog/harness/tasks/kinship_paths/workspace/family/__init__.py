"""Family trees."""
