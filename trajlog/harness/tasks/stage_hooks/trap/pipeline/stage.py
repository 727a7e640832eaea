"""The base class of pipeline stages and the hooks around them."""

MOMENTS = ("before", "after")


class Stage:
    """Turns one record (a dict) into another. Hooks take a record and return one."""

    hooks = {moment: [] for moment in MOMENTS}

    def __init_subclass__(cls):
        cls.hooks = {moment: [] for moment in MOMENTS}

    @classmethod
    def hook(cls, moment):
        """Decorator: run the function before or after every record of this stage."""
        if moment not in MOMENTS:
            raise ValueError(f"moment {moment!r} is none of {MOMENTS}")

        def register(function):
            cls.hooks[moment].append(function)
            return function

        return register

    def run(self, record):
        record = self._call_hooks("before", record)
        record = self.process(record)
        return self._call_hooks("after", record)

    def process(self, record):
        return record

    def _call_hooks(self, moment, record):
        for function in self.hooks[moment]:
            record = function(record)
        return record


def run_all(stages, record):
    for stage in stages:
        record = stage.run(record)
    return record
