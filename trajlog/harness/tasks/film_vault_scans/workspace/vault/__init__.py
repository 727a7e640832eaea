"""The vault: shelves with reels, and scans that go along them."""

from vault.errors import Damaged, NoReel, ShelfBusy, VaultError
from vault.reel import Reel
from vault.shelf import Scan, Shelf

__all__ = ["Damaged", "NoReel", "Reel", "Scan", "Shelf", "ShelfBusy", "VaultError"]
