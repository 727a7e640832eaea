"""Merge the logs of several hosts."""

from logmerge.merge import head, merge
from logmerge.parse import BadLine, parse

__all__ = ["BadLine", "head", "merge", "parse"]
