"""Reading ship logs."""

from shiplog.columns import Layout, LayoutError, expand
from shiplog.entries import Entry, LogError, parse_entry
from shiplog.log import ShipLog

__all__ = ["Entry", "Layout", "LayoutError", "LogError", "ShipLog", "expand", "parse_entry"]
