from dataclasses import dataclass, field


@dataclass
class Contact:
    """`address` is (street, city, code, country) or None."""

    family: str
    given: str = ""
    address: tuple | None = None
    emails: list = field(default_factory=list)
    categories: list = field(default_factory=list)
    note: str = ""

    def label(self):
        """For envelopes."""
        lines = [f"{self.given} {self.family}".strip()]
        if self.address:
            lines += [part for part in self.address if part]
        return "\n".join(lines)
