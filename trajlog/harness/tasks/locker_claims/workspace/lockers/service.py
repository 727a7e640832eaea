"""What couriers and customers do."""

from lockers.bank import Bank, LockerError
from lockers.keylock import KeyLocks


class LockerService:
    """`door(bank, locker)` opens a door and returns when it is shut again."""

    def __init__(self, banks, door=lambda bank, locker: None, locks=None):
        self._banks = {bank.name: bank for bank in banks}
        self._door = door
        self.locks = KeyLocks() if locks is None else locks
        self.records = []

    def _bank(self, name) -> Bank:
        try:
            return self._banks[name]
        except KeyError:
            raise LockerError(f"no bank {name!r}") from None

    def store(self, name, parcel, size="S", timeout=5):
        """Puts a parcel into a locker; returns its number."""
        bank = self._bank(name)
        with self.locks.holding(name, timeout):
            locker = bank.free(size)
            self._door(bank, locker)
            locker.parcel = parcel
            self.records.append(("in", name, locker.number, parcel))
            return locker.number

    def collect(self, name, parcel, timeout=5):
        bank = self._bank(name)
        with self.locks.holding(name, timeout):
            locker = bank.holding(parcel)
            self._door(bank, locker)
            locker.parcel = None
            self.records.append(("out", name, locker.number, parcel))
            return locker.number

    def move(self, parcel, source, target, size="S"):
        """Takes a parcel to another bank. One bank after the other, never both at once."""
        self.collect(source, parcel)
        return self.store(target, parcel, size)

    def fill(self, name):
        bank = self._bank(name)
        return sum(locker.parcel is not None for locker in bank.lockers), len(bank.lockers)
