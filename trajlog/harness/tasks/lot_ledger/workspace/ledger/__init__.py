"""Stock ledger with first in, first out matching."""
