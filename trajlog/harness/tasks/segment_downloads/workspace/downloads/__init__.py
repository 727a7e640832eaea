from downloads.errors import ChecksumError, DownloadError, SegmentBusy, TransferError
from downloads.manager import Manager

__all__ = ["ChecksumError", "DownloadError", "Manager", "SegmentBusy", "TransferError"]
