"""A device of the board and its state."""

AWAKE = "awake"
ASLEEP = "asleep"


class Device:
    def __init__(self, name, driver, parent=None):
        self.name = name
        self.driver = driver
        self.parent = parent
        self.children = []
        self.state = AWAKE
        if parent is not None:
            parent.children.append(self)

    @property
    def awake(self):
        return self.state == AWAKE

    def sleep(self):
        """Put an awake device to sleep; whether there was something to do."""
        if not self.awake:
            return False
        if any(child.awake for child in self.children):
            raise RuntimeError(f"{self.name} still has children that are awake")
        self.driver.prepare_sleep()
        self.state = ASLEEP
        return True

    def wake(self):
        if self.awake:
            return False
        if self.parent is not None and not self.parent.awake:
            raise RuntimeError(f"{self.parent.name} is asleep")
        self.state = AWAKE
        self.driver.woken()
        return True

    def below(self):
        """All devices below this one and itself, the deepest first."""
        found = []
        for child in self.children:
            found.extend(child.below())
        return [*found, self]

    def above(self):
        """This device and all above it, the topmost first."""
        return [*(self.parent.above() if self.parent else []), self]
