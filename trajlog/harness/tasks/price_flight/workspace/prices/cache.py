"""Prices from a slow supplier, kept for a while."""

import threading
import time

from prices.flight import Flight


class PriceCache:
    """`fetch(product)` returns cents. A price is fresh for `ttl_s` seconds of `clock`."""

    def __init__(self, fetch, ttl_s=60.0, wait_s=30.0, clock=time.monotonic):
        self._fetch = fetch
        self._ttl_s = ttl_s
        self._clock = clock
        self._flight = Flight(wait_s)
        self._lock = threading.Lock()
        self._prices = {}
        self.num_fetches = 0

    @property
    def flight(self):
        return self._flight

    def get(self, product):
        found, cents = self._fresh(product)
        if found:
            return cents
        cents = self._flight.do(product, lambda: self._fetch_counted(product))
        with self._lock:
            self._prices[product] = (cents, self._clock())
        return cents

    def forget(self, product):
        with self._lock:
            self._prices.pop(product, None)

    def known(self):
        """Products with a fresh price."""
        with self._lock:
            products = sorted(self._prices)
        return [product for product in products if self._fresh(product)[0]]

    def _fetch_counted(self, product):
        with self._lock:
            self.num_fetches += 1
        return self._fetch(product)

    def _fresh(self, product):
        with self._lock:
            cents, stored_at = self._prices.get(product, (None, None))
        if stored_at is None or self._clock() - stored_at >= self._ttl_s:
            return False, None
        return True, cents
