"""Steps and flows."""

from dataclasses import dataclass, field

WAITING, DONE, FAILED, SKIPPED = "waiting", "done", "failed", "skipped"


class FlowError(RuntimeError):
    """A flow that cannot be built or run."""


@dataclass(eq=False)
class Step:
    """`inputs` are the steps whose results are handed to the action, by parameter name.

    `fallback` is run instead when the action fails; it is not run otherwise.
    """

    name: str
    action: str = ""
    params: dict = field(default_factory=dict)
    after: list = field(default_factory=list)
    inputs: dict = field(default_factory=dict)
    fallback: "Step | None" = None
    state: str = WAITING
    result: object = None

    def needs(self):
        """Every step that must be done before this one."""
        return [*self.after, *self.inputs.values()]

    @property
    def is_over(self):
        return self.state != WAITING

    def reset(self):
        self.state, self.result = WAITING, None


class Flow:
    def __init__(self, title, steps=()):
        self.title = title
        self._steps = {}
        for step in steps:
            self.add(step)

    def __iter__(self):
        return iter(self._steps.values())

    def __getitem__(self, name):
        if name not in self._steps:
            raise FlowError(f"no step {name!r} in {self.title!r}")
        return self._steps[name]

    def add(self, step):
        if step.name in self._steps:
            raise FlowError(f"step {step.name!r} is defined twice")
        self._steps[step.name] = step
        return step

    def fallbacks(self):
        """Names of the steps that only stand in for others."""
        return {step.fallback.name for step in self if step.fallback is not None}

    def reset(self):
        for step in self:
            step.reset()
