"""What can stop a build."""


class BuildError(Exception):
    pass


class NoSuchFile(BuildError):
    pass


class Cycle(BuildError):
    pass


class RuleError(BuildError):
    """The rule text is wrong; no build starts."""


class RecipeFailed(BuildError):
    pass
