"""Tally: a small store of records with batches."""

from tally.store import Batch, Store, StoreError

__all__ = ["Batch", "Store", "StoreError"]
