"""Threads and their frames as the agent sees them: only frames of the program's own files, innermost first."""

import sys
import threading

MAX_FRAMES = 12
_current_frames = sys._current_frames
_threads = threading._active  # ident -> Thread; reading it makes no dummy thread


def thread_name(ident: int) -> str:
    found = _threads.get(ident)
    return str(found.__dict__.get("_name", ident))[:80] if found is not None else f"thread {ident}"


def chain(frame) -> list[tuple[object, int]]:
    """(frame, current line), innermost first."""
    found = []
    while frame is not None:
        found.append((frame, frame.f_lineno or 0))
        frame = frame.f_back
    return found


def traceback_chain(error: BaseException) -> list[tuple[object, int]]:
    """Like `chain`, of the frames that an exception went through."""
    found = []
    tb = error.__traceback__
    while tb is not None:
        found.append((tb.tb_frame, tb.tb_lineno))
        tb = tb.tb_next
    return found[::-1]


def own_frames(places: list[tuple[object, int]], files) -> list[tuple[object, int]]:
    return [(frame, line) for frame, line in places if files.own(frame.f_code)]


def place(frame, line: int, files) -> str:
    """`cart.py:9 in Cart.put`."""
    return f"{files.shown(frame.f_code.co_filename)}:{line} in {frame.f_code.co_qualname}"


def stack_lines(places: list[tuple[object, int]], files) -> list[str]:
    """One line per frame with its number, place and text; the middle of a deep stack is counted."""
    shown = [
        f"#{number} {place(frame, line, files)}: {files.line(frame.f_code.co_filename, line)}"
        for number, (frame, line) in enumerate(places[: MAX_FRAMES - 4])
    ]
    rest = len(places) - len(shown)
    if rest > 4:
        shown.append(f"... {rest - 4} more frames ...")
        rest = 4
    for number in range(len(places) - rest, len(places)):
        frame, line = places[number]
        shown.append(f"#{number} {place(frame, line, files)}: {files.line(frame.f_code.co_filename, line)}")
    return shown


def short_stack(places: list[tuple[object, int]], files, limit: int = 4) -> str:
    """`cart.py:9 in put (text of the line) < cart.py:14 in fill`, or where in a library without such frames."""
    if not places:
        return "no code of the program"
    innermost, line = places[0]
    text = files.line(innermost.f_code.co_filename, line)
    return " < ".join(
        [f"{place(innermost, line, files)} ({text})", *(place(*found, files) for found in places[1:limit])]
    )


def living_threads() -> dict[int, list[tuple[object, int]]]:
    """Every Python thread that `threading` knows, with its frames as they are now."""
    return {ident: chain(frame) for ident, frame in _current_frames().items() if ident in _threads}


def waiting_tasks(files) -> list[str]:
    """Where each unfinished asyncio task waits; nothing if the program does not use asyncio."""
    module = sys.modules.get("asyncio.tasks")
    known = getattr(module, "_all_tasks", None) or getattr(module, "_scheduled_tasks", None) or ()
    lines = []
    try:
        tasks = list(known)[:50]
    except RuntimeError:  # the loop makes tasks at this moment
        tasks = []
    for task in tasks:
        try:
            if task.done():
                continue
            places, waits = [], task.get_coro()
            while waits is not None and len(places) < 50:
                frame = getattr(waits, "cr_frame", None)
                if frame is not None:
                    places.append((frame, frame.f_lineno or 0))
                waits = getattr(waits, "cr_await", None)
            lines.append(f"task {task.get_name()} is at {short_stack(own_frames(places[::-1], files), files)}")
        except Exception:  # a task class of the program's own that does otherwise
            continue
    return lines
