from dataclasses import dataclass, field

LEVELS = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")


class LogError(ValueError):
    """A line that does not belong into a log."""


@dataclass
class Record:
    """`extra` are the continuation lines; `fields` the `key=value` words of the message."""

    moment: str
    level: str
    logger: str
    message: str
    line_number: int
    fields: dict = field(default_factory=dict)
    extra: list = field(default_factory=list)

    @property
    def severity(self):
        return LEVELS.index(self.level)

    def headline(self):
        return f"{self.moment} {self.level:<5} {self.logger} {self.message}".rstrip()
