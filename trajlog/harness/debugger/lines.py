"""Which lines of a file can stop a program: those that its bytecode has, not those that look like code.

Loaded by path inside the debuggee. Comments, blank lines, `else:`, `finally:`, `global`, closing brackets, docstrings
of functions, code after `return` and under `if False:` have no bytecode.
"""

import ast
import types

COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def source_lines(text: str) -> list[str]:
    """The lines of a source file as Python counts them: a form feed or U+2028 ends none, as `splitlines` has it.

    >>> source_lines("a\\r\\nb\\x0cc\\n")
    ['a', 'b\\x0cc']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def executable_lines(code: types.CodeType) -> set[int]:
    """Lines with a line event in `code` or any code nested in it."""
    return set().union(*(stop_lines(part) for part in nested(code)))


def nested(code: types.CodeType):
    """`code` and every code object inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def stop_lines(code: types.CodeType) -> set[int]:
    """Lines of `code` itself at which a breakpoint stops it.

    A function's own first line carries only its entry, which is no line event; it counts through the code around it,
    where `def` runs. A comprehension's first line counts through the code around it too, so that a breakpoint there
    does not stop once for every item.
    """
    lines = {line for _, _, line in code.co_lines() if line}
    if code.co_name in COMPREHENSIONS:
        return lines - {code.co_firstlineno}
    if code.co_name != "<module>" and len(lines) > 1:
        lines -= {line for line in lines if line <= code.co_firstlineno}
    return lines


def function_spans(source: bytes) -> list[tuple[str, int, int, int]]:
    """(name, first line with decorators, first line of the body, last line) of every function of the file."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            spans.append((node.name, first, node.body[0].lineno, node.end_lineno or node.lineno))
    return spans


def check_line(source: bytes, path: str, line: int) -> tuple[str | None, str | None]:
    """(why a breakpoint on `line` is refused, a note on one that is accepted); at most one is not None.

    Raises SyntaxError for a file that does not compile.
    """
    executable = executable_lines(compile(source, path, "exec", dont_inherit=True))
    spans = function_spans(source)
    around = [span for span in spans if span[1] <= line <= span[3]]
    inside = min(around, key=lambda span: span[3] - span[1]) if around else None
    if line in executable:
        if inside is not None and inside[1] <= line < inside[2]:
            body = min((near for near in executable if inside[2] <= near <= inside[3]), default=None)
            if body is not None:
                return None, f"line {line} runs when {inside[0]} is defined; use line {body} to stop in its calls"
        return None, None
    texts = source_lines(source.decode("utf-8", errors="replace"))
    if not 1 <= line <= len(texts):
        return f"{path} has lines 1-{len(texts)}.", None
    if inside is None:
        pool = {near for near in executable if not any(span[2] <= near <= span[3] for span in spans)}
        where = "outside functions"
    else:
        pool = {near for near in executable if inside[2] <= near <= inside[3]}
        where = f"in {inside[0]}"
    nearest = sorted(sorted(pool, key=lambda near: (abs(near - line), near < line))[:3])
    shown = "\n".join(f"{near}\t{texts[near - 1]}" for near in nearest)
    text = texts[line - 1].strip()
    return f"line {line} of {path} never runs: {_reason(text)}\nNearest lines that do, {where}:\n{shown}", None


def function_at(source: bytes, path: str, line: int) -> tuple[str, frozenset[str]]:
    """(qualified name of the innermost function, class or module with code on `line`, names of all code on it).

    Raises SyntaxError for a file that does not compile.
    """
    parts = [part for part in nested(compile(source, path, "exec", dont_inherit=True)) if line in stop_lines(part)]
    innermost = max(parts, key=lambda part: part.co_firstlineno, default=None)
    name = innermost.co_qualname if innermost is not None else "<module>"
    return name, frozenset(part.co_name for part in parts)


def _reason(text: str) -> str:
    if not text:
        return "a blank line"
    if text.startswith("#"):
        return f"a comment: {text}"
    if text.rstrip(":").split(" ")[0] in ("else", "finally", "try"):
        return f"{text} has no code of its own"
    if text.startswith(("global ", "nonlocal ")):
        return f"{text} is a declaration"
    if set(text) <= set(")]},: "):
        return f"{text} only closes what began above"
    if text.startswith(('"', "'")):
        return f"{text[:80]} is part of a string"
    return f"{text[:120]}  (no code was made for it: it cannot be reached, or belongs to the line above)"
