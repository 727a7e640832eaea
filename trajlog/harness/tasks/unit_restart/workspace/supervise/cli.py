"""Plays through a list of commands: `start web`, `stop db`, `restart web`, `end 102 1`, `wait 2.5`, `status`, `ps`."""

from pathlib import Path

from supervise.config import ConfigError, parse
from supervise.launcher import DryLauncher
from supervise.supervisor import Supervisor


def play(text, commands, out):
    launcher = DryLauncher()
    supervisor = Supervisor(parse(text), launcher)
    for command in commands:
        verb, *words = command.split()
        if verb in ("start", "stop", "restart"):
            getattr(supervisor, verb)(words[0])
        elif verb == "end":
            launcher.end(int(words[0]), int(words[1]))
        elif verb == "wait":
            supervisor.tick(float(words[0]))
        elif verb == "status":
            out.extend(f"{name} {state} {pid or '-'}" for name, state, pid, _ in supervisor.status())
        elif verb == "ps":
            out.extend(f"{name} {pid}" for name, pid in launcher.alive())
        else:
            raise ConfigError(f"unknown command {verb}")
    return supervisor


def main(argv, read=None):
    """`main([file, command, ...])`; 0 when all went well."""
    path, *commands = argv
    out = []
    try:
        text = read(path) if read else Path(path).read_text(encoding="utf-8")
        supervisor = play(text, commands, out)
        out.extend(supervisor.journal)
        code = 0
    except (ConfigError, KeyError) as error:
        out.append(f"error: {error}")
        code = 2
    print("\n".join(out))
    return code
