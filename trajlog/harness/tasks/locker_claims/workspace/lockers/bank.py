"""Lockers of a bank and what is in them."""

from dataclasses import dataclass, field

SIZES = ("S", "M", "L")


class LockerError(RuntimeError):
    """No locker fits, or there is nothing to take."""


@dataclass
class Locker:
    number: int
    size: str
    parcel: str | None = None


@dataclass
class Bank:
    name: str
    lockers: list = field(default_factory=list)

    @classmethod
    def of(cls, name, sizes):
        """`SSML` makes four lockers."""
        return cls(name, [Locker(number, size) for number, size in enumerate(sizes, 1)])

    def free(self, size):
        """The smallest free locker for a size."""
        fitting = [lk for lk in self.lockers if lk.parcel is None and SIZES.index(lk.size) >= SIZES.index(size)]
        if not fitting:
            raise LockerError(f"{self.name}: no locker for size {size}")
        return min(fitting, key=lambda lk: (SIZES.index(lk.size), lk.number))

    def holding(self, parcel):
        for locker in self.lockers:
            if locker.parcel == parcel:
                return locker
        raise LockerError(f"{self.name}: no parcel {parcel}")
