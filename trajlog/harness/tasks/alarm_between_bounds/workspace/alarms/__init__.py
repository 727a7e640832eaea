"""Alarm rules as text."""

from alarms.rules import Alarm, Monitor, parse_rules
from alarms.words import RuleError

__all__ = ["Alarm", "Monitor", "RuleError", "parse_rules"]
