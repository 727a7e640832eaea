"""Results of tennis tournaments."""
