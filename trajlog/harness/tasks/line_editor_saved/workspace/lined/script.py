"""Commands, one a line:

    i 3 text     insert before line 3; \\n in the text begins another line
    d 2 4        delete lines 2 to 4
    s 1 9 /a/b/  substitute in lines 1 to 9
    { ... }      edits in braces are one edit
    u, r         undo, redo
    w, p, q      write, print, quit
"""

from lined.buffer import EditError
from lined.edits import Batch, Delete, Insert, Substitute


def parse_edit(line):
    verb, _, rest = line.partition(" ")
    try:
        if verb == "i":
            at, _, text = rest.partition(" ")
            return Insert(int(at), text.split("\\n"))
        if verb == "d":
            first, last = (int(word) for word in rest.split())
            return Delete(first, last)
        if verb == "s":
            first, last, body = rest.split(" ", 2)
            _, pattern, text, _ = body.split(body[0])
            return Substitute(int(first), int(last), pattern, text)
    except ValueError as error:
        raise EditError(f"cannot read {line!r}") from error
    raise EditError(f"unknown command {verb}")


def commands(lines):
    """Pairs (verb, edit or None)."""
    batch = None
    for line in lines:
        line = line.strip()
        if line == "{":
            batch = []
        elif line == "}":
            if batch is None:
                raise EditError("} without {")
            yield "edit", Batch(batch)
            batch = None
        elif batch is not None:
            batch.append(parse_edit(line))
        elif line in ("u", "r", "w", "p", "q"):
            yield line, None
        elif line:
            yield "edit", parse_edit(line)
    if batch is not None:
        raise EditError("{ without }")
