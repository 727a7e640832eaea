"""Builds targets from rules, with verifying traces."""

from builder.engine import Builder
from builder.errors import BuildError

__all__ = ["BuildError", "Builder"]
