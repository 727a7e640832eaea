from customs.codes import CodeError, Tariff
from customs.desk import Desk

__all__ = ["CodeError", "Desk", "Tariff"]
