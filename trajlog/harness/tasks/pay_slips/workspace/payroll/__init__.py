"""Pay slips from time sheets."""
