"""Addresses in the one form in which they are compared."""

from urllib.parse import urljoin, urlsplit, urlunsplit


def normalise(href, base=""):
    """The absolute address without fragment, or None for what is no web page."""
    parts = urlsplit(urljoin(base, href.strip()))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    host = parts.hostname.lower()
    if parts.port and (parts.scheme, parts.port) not in (("http", 80), ("https", 443)):
        host = f"{host}:{parts.port}"
    return urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))


def host_of(url):
    return urlsplit(url).netloc


def path_of(url):
    return urlsplit(url).path
