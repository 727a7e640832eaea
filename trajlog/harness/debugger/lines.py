"""Which lines of a file can stop a program: those that its bytecode has, not those that look like code.

Loaded by path inside the debuggee; imports nothing of ours. Comments, blank lines, `else:`, `finally:`, `global`,
closing brackets, docstrings of functions, code after `return` and under `if False:` have no bytecode.
"""

import ast
import types


def executable_lines(code: types.CodeType) -> set[int]:
    """Lines with a line event in `code` or any code nested in it.

    A function's own first line carries only its entry, which is no line event; it counts through the code around
    it, where `def` runs.
    """
    lines = {line for _, _, line in code.co_lines() if line}
    if code.co_name != "<module>" and len(lines) > 1:
        lines.discard(code.co_firstlineno)
        lines.discard(min(lines) if min(lines) < code.co_firstlineno else 0)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            lines |= executable_lines(constant)
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
    texts = source.decode("utf-8", errors="replace").splitlines()
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
    text = texts[line - 1].strip() or "a blank line"
    return f"line {line} of {path} never runs: {text}\nNearest lines that do, {where}:\n{shown}", None
