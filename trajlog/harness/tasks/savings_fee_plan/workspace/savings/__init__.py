"""Savings plans with a closing fee."""

from savings.amortise import Spread, SpreadError
from savings.plan import Plan, PlanError
from savings.statement import Statement, statement

__all__ = ["Plan", "PlanError", "Spread", "SpreadError", "Statement", "statement"]
