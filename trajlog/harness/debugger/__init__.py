"""A structured debugger: `session.DebuggerSession` outside the sandbox, `debuggee.py` inside the program.

Outside: session, breakpoints, dump. Inside, loaded by path under a private name and importing nothing but the standard
library and one another: debuggee, channel, control, program, tracer, stops, files, frames, locks, lines, values.
"""
