"""Runs flows."""

from flow.steps import DONE, FAILED, SKIPPED, FlowError


class Runner:
    """`actions` are functions by name. `log` gets the names of the steps in the order in which they were run."""

    def __init__(self, actions):
        self._actions = dict(actions)
        self.log = []

    def run(self, flow):
        """Run every step once; results by step name."""
        stand_ins = flow.fallbacks()
        todo = [step for step in flow if step.name not in stand_ins]
        while todo:
            ready = [step for step in todo if all(other.is_over for other in step.needs())]
            if not ready:
                raise FlowError(f"stuck, waiting: {[step.name for step in todo]}")
            for step in ready:
                self._run_step(step)
            todo = [step for step in todo if not step.is_over]
        return {step.name: step.result for step in flow if step.state == DONE}

    def _run_step(self, step):
        if any(other.state in (FAILED, SKIPPED) for other in step.needs()):
            step.state = SKIPPED
            return
        inputs = {parameter: other.result for parameter, other in step.inputs.items()}
        try:
            step.result = self._call(step, inputs)
            step.state = DONE
        except (ArithmeticError, LookupError, ValueError):
            self._run_fallback(step)

    def _run_fallback(self, step):
        other = step.fallback
        if other is None:
            step.state = FAILED
            return
        self._run_step(other)
        step.state, step.result = other.state, other.result

    def _call(self, step, inputs):
        if step.action not in self._actions:
            raise FlowError(f"step {step.name!r} has no action {step.action!r}")
        self.log.append(step.name)
        return self._actions[step.action](**step.params, **inputs)
