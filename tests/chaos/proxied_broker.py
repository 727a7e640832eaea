"""A broker behind a proxy that a test can cut."""

from plumbing.cut_proxy import CutProxy
from plumbing.kafka_broker import KafkaBroker, free_ports


class ProxiedBroker(KafkaBroker):
    """Clients that come through the proxy are told to stay there; those that come directly, to come directly."""

    def __init__(self) -> None:
        super().__init__()
        self.proxied_port, self.proxy_port = free_ports(2)

    def settings(self) -> dict[str, object]:
        settings = super().settings()
        return settings | {
            "listeners": f"{settings['listeners']},PROXIED://127.0.0.1:{self.proxied_port}",
            "advertised.listeners": f"{settings['advertised.listeners']},PROXIED://127.0.0.1:{self.proxy_port}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
        }

    def proxy(self) -> CutProxy:
        """The way through it; to be entered."""
        return CutProxy(("127.0.0.1", self.proxied_port), self.proxy_port)
