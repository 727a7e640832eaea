"""Taxi ranks of a city."""

from taxi.city import City
from taxi.orders import NoTaxi, Orders
from taxi.rank import Rank, RankClosed

__all__ = ["City", "NoTaxi", "Orders", "Rank", "RankClosed"]
