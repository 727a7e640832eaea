from pooling.link import Link, LinkError
from pooling.pool import LinkPool, PoolExhausted
from pooling.unit import unit_of_work

__all__ = ["Link", "LinkError", "LinkPool", "PoolExhausted", "unit_of_work"]
