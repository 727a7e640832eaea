"""A session: some tracks and what is made of them."""

from contextlib import closing

from studio.mixer import mix


class Clipped(Exception):
    """Too loud for the master."""


class Master:
    """Collects the result. `ceiling` is the loudest sample that it takes."""

    def __init__(self, ceiling=100):
        self.samples = []
        self._ceiling = ceiling

    def write(self, block):
        for sample in block:
            if abs(sample) > self._ceiling:
                raise Clipped(f"sample {len(self.samples)} is {sample}")
            self.samples.append(sample)


class Session:
    def __init__(self, tracks, block=4):
        self.tracks = list(tracks)
        self._block = block

    def bounce(self, writer, limit=None):
        """Write the mix, at most `limit` samples of it. Returns how many were written."""
        written = 0
        with closing(mix(self.tracks, self._block)) as blocks:
            for part in blocks:
                if limit is not None and written + len(part) > limit:
                    part = part[: limit - written]
                writer.write(part)
                written += len(part)
                if written == limit:
                    break
        return written

    def peak(self):
        """The loudest sample of the mix."""
        return max((abs(sample) for part in mix(self.tracks, self._block) for sample in part), default=0)

    def meters(self):
        return {track.tape.label: track.stages for track in self.tracks}
