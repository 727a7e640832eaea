"""Savings plans with a closing fee."""

from savings.amortise import Spread, SpreadError
from savings.forecast import Forecast, months_to_reach
from savings.plan import Plan, PlanError
from savings.statement import Statement, statement

__all__ = [
    "Forecast", "Plan", "PlanError", "Spread", "SpreadError", "Statement", "months_to_reach", "statement",
]
