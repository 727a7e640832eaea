"""Holding several accounts at once."""

from contextlib import ExitStack, contextmanager


@contextmanager
def holding(accounts):
    """Hold the locks of `accounts`, taken one after the other; given back in reverse."""
    with ExitStack() as stack:
        for account in accounts:
            stack.enter_context(account.lock)
        yield


def by_number(accounts):
    return sorted(accounts, key=lambda account: account.number)
