"""Folders of a run: made for their owner alone, because everything that was said in its episodes lies in them."""

from pathlib import Path


def make_private(folder: Path) -> None:
    """Make `folder`, and those above it that are missing, with mode 0700 whatever the umask.

    One that is there stays as it is: its owner may have opened it to others (docs/security.md). Raises OSError.
    """
    if not folder.parent.exists():
        make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
