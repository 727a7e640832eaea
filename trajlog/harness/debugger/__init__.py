"""A structured debugger: `session.DebuggerSession` outside, `debuggee.py` inside the program, a channel between."""
