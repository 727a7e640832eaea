"""What can go wrong in the vault."""


class VaultError(RuntimeError):
    pass


class NoReel(VaultError):
    """The shelf has no such reel."""


class ShelfBusy(VaultError):
    """The shelf cannot be changed now."""


class Damaged(VaultError):
    """A reel cannot be read."""
