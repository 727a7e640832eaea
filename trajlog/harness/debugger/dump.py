"""The stacks that faulthandler writes into a program's output, taken out of it again.

They come on a signal even while one thread holds the interpreter in C code, when nothing inside can answer.
"""

from __future__ import annotations

import re

_HEAD = re.compile(r"(Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\):")
_FRAME = re.compile(r'  File "(.+)", line (\d+) in (.+)')


def split_dump(output: str, root: str) -> tuple[list[str], str]:
    """(one line per thread, innermost frame first, only files under `root`; the rest of the output).

    >>> split_dump('hi\\nThread 0x7f (most recent call first):\\n  File "/w/a.py", line 3 in f\\n', "/w")
    (['a thread is at a.py:3 in f'], 'hi\\n')
    """
    stacks: list[list[str]] = []
    rest: list[str] = []
    inside = False
    for line in output.splitlines(keepends=True):
        text = line.rstrip("\n")
        if _HEAD.fullmatch(text):
            stacks.append([])
            inside = True
        elif inside and (match := _FRAME.fullmatch(text)):
            if match[1].startswith(f"{root}/"):
                stacks[-1].append(f"{match[1].removeprefix(f'{root}/')}:{match[2]} in {match[3]}")
        elif not (inside and text in ("", "  ...", "  <no Python frame>")):
            rest.append(line)
    return [f"a thread is at {' < '.join(stack[:4])}" for stack in stacks if stack], "".join(rest)
