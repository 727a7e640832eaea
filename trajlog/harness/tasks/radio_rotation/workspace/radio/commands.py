"""What can be sent into the programme, and what comes back."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Skip:
    """Drop the current segment."""


@dataclass(frozen=True)
class Request:
    title: str


@dataclass(frozen=True)
class Ban:
    title: str


@dataclass(frozen=True)
class Segment:
    """Something to be heard."""

    kind: str
    text: str
    seconds: int

    def __str__(self):
        return self.text if self.kind == "song" else f"({self.text})"


@dataclass(frozen=True)
class Answer:
    """The reply to a command; not to be heard."""

    value: object
