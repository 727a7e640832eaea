"""The desk of a climbing gym: who is in, and what was handed out."""

from contextlib import suppress


class NotCheckedIn(LookupError):
    """The guest is not in the gym."""


class Desk:
    def __init__(self, lockers, shoes, devices):
        self.free_lockers = sorted(lockers)
        self.shoes = dict(shoes)
        self.devices = set(devices)
        self._inside = []
        self._locker_of = {}
        self._shoes_of = {}
        self._borrower = {}

    def check_in(self, guest, shoe_size=None, locker=True):
        self._inside.append(guest)
        if locker and self.free_lockers:
            self._locker_of[guest] = self.free_lockers.pop(0)
        if shoe_size is not None and self.shoes.get(shoe_size, 0) > 0:
            self.shoes[shoe_size] -= 1
            self._shoes_of[guest] = shoe_size

    def lend(self, guest, device):
        """Hand out a belay device."""
        self._require(guest)
        self.devices.remove(device)
        self._borrower[device] = guest

    def lose_device(self, device):
        """A borrowed device is gone for good; the guest may borrow another one."""
        self._borrower[device] = None

    def check_out(self, guest):
        self._require(guest)
        self._inside.remove(guest)
        with suppress(KeyError):
            self.shoes[self._shoes_of.pop(guest)] += 1
        with suppress(KeyError):
            self.free_lockers = sorted([*self.free_lockers, self._locker_of.pop(guest)])
            for device in [device for device, borrower in self._borrower.items() if borrower == guest]:
                del self._borrower[device]
                self.devices.add(device)

    def handed_out(self):
        """Lockers, shoes and devices that are in use."""
        return len(self._locker_of), len(self._shoes_of), sum(who is not None for who in self._borrower.values())

    def _require(self, guest):
        if guest not in self._inside:
            raise NotCheckedIn(guest)
