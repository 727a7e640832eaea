"""A folder of pictures as one sheet."""

from thumbs.index import ThumbIndex


class Album:
    def __init__(self, disk, clock, folder, saved=None):
        self._disk = disk
        self.folder = folder
        self.index = ThumbIndex(disk, clock)
        if saved:
            self.index.load(saved)

    def sheet(self, edge=2):
        """name -> thumbnail of every picture in the folder."""
        self.index.prune()
        paths = [path for path in self._disk.listing(self.folder) if path.endswith(".pgm")]
        return {path.rpartition("/")[2]: self.index.thumb(path, edge) for path in paths}

    def close(self):
        return self.index.save()
