"""Knitting charts and their compact file format."""

from charts.codec import ChartFormatError, decode, encode
from charts.model import Chart

__all__ = ["Chart", "ChartFormatError", "decode", "encode"]
