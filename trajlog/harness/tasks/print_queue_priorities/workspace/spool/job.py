"""Print jobs."""

from dataclasses import dataclass

LOW, NORMAL, HIGH = 1, 5, 9


class JobError(ValueError):
    """A job that cannot be printed."""


@dataclass(eq=False)
class Job:
    number: int
    owner: str
    pages: int
    priority: int = NORMAL
    colour: bool = False

    def __post_init__(self):
        if self.pages < 1:
            raise JobError(f"job {self.number} has {self.pages} pages")

    def __lt__(self, other):
        """Whether this job is printed before the other one."""
        return (-self.priority, self.number) < (-other.priority, other.number)

    def cents(self):
        return self.pages * (25 if self.colour else 4)
