"""Files with key bindings.

    # a remark
    ctrl+s = save
    g g | home = go --line=1
    [editor]                    bindings that hold in the editor only
    tab = indent
"""

from keys.chords import KeyProblem, scan_sequence
from keys.commands import parse_command
from keys.keymap import Keymap

GLOBAL = "global"


def parse_line(line):
    """(sequences, command) of a line."""
    keys, equals, command = line.partition(" = ")
    if not equals:
        keys, equals, command = line.partition("=")
    if not equals:
        raise KeyProblem("no = in the line")
    sequences = []
    place = -1
    while place < len(keys):
        sequence, place = scan_sequence(keys, place + 1, stops="|")
        if sequence:
            sequences.append(sequence)
    return sequences, parse_command(command)


def load(text):
    """(keymaps by name, problems)"""
    keymaps = {GLOBAL: Keymap(GLOBAL)}
    current = keymaps[GLOBAL]
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("# "):
            continue
        if line.startswith("[") and line.endswith("]") and len(line) > 2:
            name = line[1:-1].strip()
            current = keymaps.setdefault(name, Keymap(name))
            continue
        try:
            sequences, command = parse_line(line)
            for sequence in sequences:
                current.bind(sequence, command)
        except KeyProblem as problem:
            problems.append(f"line {number}: {problem}")
    return keymaps, problems
