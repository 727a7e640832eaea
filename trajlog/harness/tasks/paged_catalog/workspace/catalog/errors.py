"""What may go wrong."""


class CatalogError(Exception):
    """Any failure of a request."""


class ServerBusy(CatalogError):
    """Worth another try."""


class NotFound(CatalogError):
    """There is no such shelf."""
