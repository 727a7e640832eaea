"""A few changes that are made together or not at all."""

from contextlib import contextmanager

from pooling.link import LinkError


@contextmanager
def unit_of_work(pool, timeout=1):
    link = pool.acquire(timeout)
    try:
        yield link
        link.commit()
    except LinkError:
        link.close()
        raise
    finally:
        pool.release(link)


def move(pool, item, source, target, count):
    """Move stock from one shelf to another."""
    with unit_of_work(pool, timeout=0.2) as link:
        link.stage(f"{source}/{item}", -count)
        link.stage(f"{target}/{item}", count)
