from taxes.code import TaxCode, UnknownYear
from taxes.household import Household
from taxes.report import compare, summary

__all__ = ["Household", "TaxCode", "UnknownYear", "compare", "summary"]
