"""The most recently used values: a map into a doubly linked ring."""


class Node:
    __slots__ = ("key", "value", "newer", "older")

    def __init__(self, key=None, value=None):
        self.key = key
        self.value = value
        self.newer = self.older = self


class Recent:
    def __init__(self, limit):
        if limit < 1:
            raise ValueError("limit must be at least 1")
        self.limit = limit
        self._nodes = {}
        self._ring = Node()  # between the newest and the oldest
        self._count = 0

    def get(self, key, default=None):
        node = self._nodes.get(key)
        if node is None:
            return default
        self._unlink(node)
        self._link(node)
        return node.value

    def put(self, key, value):
        node = self._nodes[key] = Node(key, value)
        self._link(node)
        while self._count > self.limit:
            self._drop_oldest()

    def remove(self, key):
        node = self._nodes.pop(key, None)
        if node is None:
            return False
        self._unlink(node)
        return True

    def order(self):
        """Keys, last used first."""
        keys, node = [], self._ring.older
        while node is not self._ring:
            keys.append(node.key)
            node = node.older
        return keys

    def _link(self, node):
        node.newer, node.older = self._ring, self._ring.older
        node.older.newer = node.newer.older = node
        self._count += 1

    def _unlink(self, node):
        node.newer.older, node.older.newer = node.older, node.newer
        self._count -= 1

    def _drop_oldest(self):
        oldest = self._ring.newer
        self._unlink(oldest)
        del self._nodes[oldest.key]

    def __contains__(self, key):
        return key in self._nodes

    def __len__(self):
        return len(self._nodes)
