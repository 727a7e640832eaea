"""Events cut out of a recording."""

from dataclasses import dataclass, field


@dataclass
class Event:
    """`blocks` are (number of the first sample, samples); the first `lead` of them come before the trigger."""

    blocks: list = field(default_factory=list)
    lead: int = 0
    is_open: bool = True

    @property
    def start(self):
        return self.blocks[0][0]

    @property
    def trigger(self):
        return self.blocks[self.lead][0]

    def samples(self):
        return [sample for _, samples in self.blocks for sample in samples]

    def lead_in(self):
        return [sample for _, samples in self.blocks[: self.lead] for sample in samples]

    def to_plain(self):
        return {
            "blocks": [[start, list(samples)] for start, samples in self.blocks],
            "lead": self.lead,
            "is_open": self.is_open,
        }

    @classmethod
    def from_plain(cls, entry):
        return cls([(start, samples) for start, samples in entry["blocks"]], entry["lead"], entry["is_open"])
