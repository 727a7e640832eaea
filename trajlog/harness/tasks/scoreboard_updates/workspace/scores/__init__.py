"""A feed of scores for boards in the hall."""

from scores.feed import Feed
from scores.rules import Refused, most_points, only_teams
from scores.snapshot import Snapshot

__all__ = ["Feed", "Refused", "Snapshot", "most_points", "only_teams"]
