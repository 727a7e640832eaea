"""Addresses of the ports: every VLAN has a subnet, its ports get the next free addresses."""

import ipaddress


class AddressError(ValueError):
    """A subnet that is missing or full."""


class AddressBook:
    """`subnets` are VLAN -> subnet, such as `{10: "10.0.10.0/29"}`."""

    def __init__(self, subnets):
        self._subnets = {vlan: ipaddress.ip_network(subnet) for vlan, subnet in subnets.items()}
        self._given = {}

    def subnet_of(self, vlan):
        try:
            return self._subnets[vlan]
        except KeyError:
            raise AddressError(f"vlan {vlan} has no subnet") from None

    def address(self, end, vlan):
        """The address of a port in a VLAN; it stays the same once it was given."""
        if (end, vlan) not in self._given:
            taken = set(self._given.values())
            free = (host for host in self.subnet_of(vlan).hosts() if host not in taken)
            host = next(free, None)
            if host is None:
                raise AddressError(f"{self.subnet_of(vlan)} is full")
            self._given[end, vlan] = host
        return str(self._given[end, vlan])

    def assign(self, document):
        """`device.port/vlan` -> address for all ports whose VLAN has a subnet."""
        found = {}
        for name, device in sorted(document["devices"].items()):
            for port, settings in sorted(device.get("ports", {}).items()):
                for vlan in settings.get("vlans", []):
                    if vlan in self._subnets:
                        found[f"{name}.{port}/{vlan}"] = self.address(f"{name}.{port}", vlan)
        return found
