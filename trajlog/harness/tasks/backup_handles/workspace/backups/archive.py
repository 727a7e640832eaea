"""Where the copies are."""


class Archive:
    """Snapshots by plan; each has only what was changed."""

    def __init__(self):
        self._snapshots = {}
        self._number = 0

    def known(self, plan):
        """Versions that the last snapshots of the plan have."""
        versions = {}
        for snapshot in self._snapshots.get(plan, []):
            versions |= {path: version for path, (version, _) in snapshot[1].items()}
        return versions

    def add(self, plan, copies):
        self._number += 1
        self._snapshots.setdefault(plan, []).append((self._number, dict(copies)))
        return self._number

    def restore(self, plan, number=None):
        """Contents as of a snapshot, or the newest."""
        contents = {}
        for made, copies in self._snapshots.get(plan, []):
            if number is None or made <= number:
                contents |= {path: content for path, (_, content) in copies.items()}
        return dict(sorted(contents.items()))

    def numbers(self, plan):
        return [number for number, _ in self._snapshots.get(plan, [])]

    def merge(self, plan, keep):
        """Fold the oldest snapshots together until at most `keep` are left."""
        snapshots = self._snapshots.get(plan, [])
        while len(snapshots) > keep:
            (_, older), (number, newer) = snapshots[:2]
            snapshots[:2] = [(number, older | newer)]
