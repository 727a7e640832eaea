"""The tools `read_file` and `edit_file`; edits replace one exact, unique piece of text."""

from __future__ import annotations

import difflib

from trajlog.harness.debugger.lines import source_lines
from trajlog.harness.tools.base import Arguments, Parameter, Tool, ToolContext, ToolResult, refused
from trajlog.harness.workspace import MAX_FILE_BYTES, PathRefused

MAX_LINES = 400
_SEARCHED_LINES = 5000


def read_file(context: ToolContext, arguments: Arguments) -> ToolResult:
    """Numbered lines (`12<tab>text`); at most 400 at once, and the reply says how many there are."""
    try:
        text = _read_text(context, arguments["path"])
    except PathRefused as error:
        return refused(_with_files(context, str(error)))
    lines = source_lines(text)
    start = arguments.get("start_line", 1)
    end = arguments.get("end_line", len(lines))
    if not lines:
        return ToolResult(content=f"{arguments['path']} is empty.")
    if not 1 <= start <= len(lines) or end < start:
        return refused(f"{arguments['path']} has lines 1-{len(lines)}; asked for {start}-{end}.")
    end = min(end, len(lines), start + MAX_LINES - 1)
    shown = "\n".join(f"{number}\t{lines[number - 1]}" for number in range(start, end + 1))
    if (start, end) != (1, len(lines)):
        shown += f"\n[lines {start}-{end} of {len(lines)}]"
    return ToolResult(content=shown)


def edit_file(context: ToolContext, arguments: Arguments) -> ToolResult:
    """Replace the one place where `old_str` stands. An empty `old_str` makes a new file."""
    path, old, new = arguments["path"], arguments["old_str"], arguments["new_str"]
    if old == new:
        return refused("old_str and new_str are equal; nothing was changed.")
    try:
        try:
            text = _read_text(context, path)
        except PathRefused as error:
            if old or "does not exist" not in str(error):
                return refused(_with_files(context, str(error)))
            _write(context, path, new)
            return ToolResult(content=f"made {path}.")
        problem = _mismatch(path, text, old)
        if problem is not None:
            return refused(problem)
        where = text.index(old)
        after = text[:where] + new + text[where + len(old) :]
        _write(context, path, after)
    except (PathRefused, OSError) as error:
        return refused(f"{path} was not changed: {error}")
    first = text.count("\n", 0, where) + 1
    last = first + new.count("\n")
    lines = source_lines(after)
    around = range(max(1, first - 1), min(len(lines), last + 1, first + 12) + 1)
    return ToolResult(content=f"edited {path}:\n" + "\n".join(f"{n}\t{lines[n - 1]}" for n in around))


def _write(context: ToolContext, path: str, text: str) -> None:
    """Raises PathRefused, also for what `read_file` would refuse afterwards."""
    content = text.encode()
    if len(content) > MAX_FILE_BYTES:
        raise PathRefused(f"it would be larger than {MAX_FILE_BYTES} bytes.")
    context.sandbox.workspace.write(path, content)


def _mismatch(path: str, text: str, old: str) -> str | None:
    """Why `old` does not name one place of `text`, with what helps to name it; None if it does."""
    if not old:
        return f"{path} exists; old_str must be text that stands in it."
    count = text.count(old)
    if count == 1:
        return None
    if count > 1:
        places: list[str] = []
        at = -1
        while (at := text.find(old, at + 1)) >= 0 and len(places) < 10:
            places.append(str(text.count("\n", 0, at) + 1))
        lines = list(dict.fromkeys(places))
        where = f"line{'s' if len(lines) > 1 else ''} {', '.join(lines)}"
        return f"old_str stands {count} times in {path}, on {where}. Add more of the text around it."
    return f"old_str is not in {path}. {_nearest(text, old)}"


def _nearest(text: str, old: str) -> str:
    """The lines most like the first line of `old`."""
    lines = source_lines(text)[:_SEARCHED_LINES]
    wanted = next((line for line in old.splitlines() if line.strip()), "")
    bare = [line.strip() for line in lines]
    close = difflib.get_close_matches(wanted.strip(), dict.fromkeys(filter(None, bare)), n=3, cutoff=0.5)
    if not close:
        return "Read the file and copy the text exactly."
    numbers = [number for line in close for number in range(1, len(lines) + 1) if bare[number - 1] == line]
    nearest = "\n".join(f"{number}\t{lines[number - 1]}" for number in sorted(numbers[:3]))
    return f"Nearest lines:\n{nearest}"


def _read_text(context: ToolContext, path: str) -> str:
    try:
        return context.sandbox.workspace.read(path).decode("utf-8")
    except UnicodeDecodeError:
        raise PathRefused(f"{path} is not UTF-8 text.") from None


def _with_files(context: ToolContext, message: str) -> str:
    if "does not exist" not in message:
        return message
    return f"{message} Files: {', '.join(context.sandbox.workspace.files(limit=20))}"


READ_FILE = Tool(
    "read_file",
    "Read a file with line numbers.",
    {
        "path": Parameter("string"),
        "start_line": Parameter("integer", required=False),
        "end_line": Parameter("integer", required=False),
    },
    read_file,
)
EDIT_FILE = Tool(
    "edit_file",
    "Replace old_str, which must stand once in the file, by new_str.",
    {"path": Parameter("string"), "old_str": Parameter("string"), "new_str": Parameter("string")},
    edit_file,
)
