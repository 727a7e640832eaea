from dataclasses import dataclass
from enum import IntEnum


class Priority(IntEnum):
    URGENT = 0
    NORMAL = 5
    BULK = 9


@dataclass(frozen=True)
class Message:
    sender: str
    text: str
    priority: Priority = Priority.NORMAL

    def __str__(self):
        mark = "!" if self.priority is Priority.URGENT else ""
        return f"{self.sender}: {self.text}{mark}"
