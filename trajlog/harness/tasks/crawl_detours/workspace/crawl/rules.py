"""What may be visited."""

from dataclasses import dataclass, field

from crawl.urls import host_of, path_of


@dataclass
class Rules:
    hosts: set = field(default_factory=set)
    closed: dict = field(default_factory=dict)
    max_depth: int = 5

    def reason(self, url, depth):
        """Why `url` is not visited, or None when it may be."""
        host = host_of(url)
        if self.hosts and host not in self.hosts:
            return "foreign"
        if any(path_of(url).startswith(prefix) for prefix in self.closed.get(host, ())):
            return "closed"
        if depth > self.max_depth:
            return "deep"
        return None
