"""What a rule can do. A step gets the lines so far and gives new ones."""

from builder.errors import BuildError, RecipeFailed

STEPS = {}
INCLUDE = "%include "


def step(function):
    STEPS[function.__name__] = function
    return function


def expand(name, context, above=()):
    """The lines of a file with those of included files put in."""
    if name in above:
        raise RecipeFailed(f"{name} includes itself")
    for line in context.need(name).splitlines():
        if line.startswith(INCLUDE):
            yield from expand(line.removeprefix(INCLUDE).strip(), context, (*above, name))
        else:
            yield line


@step
def read(lines, argument, context):
    return [*lines, *expand(argument, context)]


@step
def optional(lines, argument, context):
    try:
        return [*lines, *expand(argument, context)]
    except BuildError:
        return lines


@step
def text(lines, argument, context):
    return [*lines, argument]


@step
def upper(lines, argument, context):
    return [line.upper() for line in lines]


@step
def sort(lines, argument, context):
    return sorted(lines)


@step
def limit(lines, argument, context):
    """Fails when there are more lines than that."""
    if len(lines) > int(argument):
        raise RecipeFailed(f"{len(lines)} lines, only {argument} allowed")
    return lines


@step
def count(lines, argument, context):
    return [f"{len(lines)} {argument}".strip()]
