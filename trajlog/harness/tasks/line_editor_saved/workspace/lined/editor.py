"""The editor and its command line."""

from pathlib import Path

from lined.buffer import Buffer, EditError
from lined.history import History
from lined.script import commands


class Editor:
    def __init__(self, path, limit=50):
        self._path = Path(path)
        self.buffer = Buffer.parse(self._path.read_text(encoding="utf-8") if self._path.exists() else "")
        self.history = History(limit)
        self.messages = []

    def run(self, lines):
        """Work through commands; whether the end was reached or `q` could quit."""
        for verb, edit in commands(lines):
            if verb == "edit":
                edit.apply(self.buffer)
                self.history.push(edit)
            elif verb == "u":
                self._say_if(not self.history.undo(self.buffer), "nothing to undo")
            elif verb == "r":
                self._say_if(not self.history.redo(self.buffer), "nothing to redo")
            elif verb == "w":
                self.write()
            elif verb == "p":
                self.messages.extend(f"{number}: {line}" for number, line in enumerate(self.buffer.lines, 1))
            elif self.history.clean:
                return True
            else:
                self.messages.append("not saved")
        return self.history.clean

    def write(self):
        if self.history.clean:
            self.messages.append("no changes")
            return
        self._path.write_text(self.buffer.text(), encoding="utf-8")
        self.history.mark_saved()
        self.messages.append(f"{len(self.buffer.lines)} lines written")

    def _say_if(self, condition, message):
        if condition:
            self.messages.append(message)


def main(argv):
    """`main([file, script, limit])`. 0: all saved, 1: changes were left, 2: error."""
    path, script, *rest = argv
    editor = Editor(path, *(int(word) for word in rest))
    try:
        saved = editor.run(Path(script).read_text(encoding="utf-8").splitlines())
        code = 0 if saved else 1
    except EditError as error:
        editor.messages.append(f"error: {error}")
        code = 2
    print("\n".join(editor.messages))
    return code
