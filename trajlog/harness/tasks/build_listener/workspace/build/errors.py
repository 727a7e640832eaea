class BuildError(Exception):
    """Base of all errors of a build."""


class GraphError(BuildError):
    """The build file does not describe something that can be built."""


class RecipeError(BuildError):
    """A recipe could not do its work."""
