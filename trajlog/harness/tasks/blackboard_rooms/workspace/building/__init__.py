"""A building whose rooms are run by rule agents around a blackboard."""
