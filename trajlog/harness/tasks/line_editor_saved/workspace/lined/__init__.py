"""A line editor that works through lists of commands."""
