"""A flow of records through stages into a sink."""

from flow.run import Busy, Flow, GaveUp

__all__ = ["Busy", "Flow", "GaveUp"]
