class DownloadError(Exception):
    """Base of everything that goes wrong with a download."""


class TransferError(DownloadError):
    """The mirror broke off. Another attempt may help."""


class SegmentBusy(DownloadError):
    """Two writers for one segment."""


class ChecksumError(DownloadError):
    """The file is complete, but not what was announced."""
