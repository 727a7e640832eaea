"""One run of a plan."""

import weakref

from backups.files import FileSet


class Run:
    """Opens what was changed when it is made; `copy` writes it to the archive."""

    def __init__(self, plan, volume, archive, journal):
        self.plan = plan
        self.number = None
        self._archive = archive
        self._journal = journal
        self.files = FileSet(self, volume)
        self._finalizer = weakref.finalize(self, self.files.release)
        self.files.open_all(plan.changed(volume, archive.known(plan.name)))

    @property
    def name(self):
        return self.plan.name

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def copy(self):
        """Copy all files; the number of the snapshot, or None if nothing was changed."""
        copies = {}
        for file in self.files:
            copies[file.path] = (file.version, file.read())
        if copies:
            self.number = self._archive.add(self.name, copies)
            self._archive.merge(self.name, self.plan.keep)
        self.note(f"copied {len(copies)} files")
        return self.number

    def close(self):
        self._finalizer.detach()
        self.files.close()

    def note(self, text):
        self._journal.note(self.name, text)
