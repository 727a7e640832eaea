"""Sleep and wake-up, of single devices and of the whole board."""

from devices.drivers import Busy


class PowerError(Exception):
    """Not possible in the present state of the board."""


class PowerManager:
    """The board wakes up as it went to sleep: a device that slept before goes on sleeping."""

    def __init__(self, board):
        self._board = board
        self._ours = []
        self._down = False
        self.log = []

    def sleep(self, name):
        """Put a device and all below it to sleep, on behalf of the user."""
        self._expect(down=False)
        for device in self._board[name].below():
            self._sleep(device)

    def wake(self, name):
        """Wake a device, and before it all above."""
        self._expect(down=False)
        for device in self._board[name].above():
            self._wake(device)

    def sleep_all(self):
        """Put the board to sleep. If a device is busy, everything is as before and Busy is raised."""
        self._expect(down=False)
        try:
            for device in self._board.deepest_first():
                if self._sleep(device):
                    self._ours.append(device)
        except Busy:
            self._wake_ours()
            raise
        self._down = True

    def wake_all(self):
        self._expect(down=True)
        self._wake_ours()
        self._ours.clear()
        self._down = False

    def _wake_ours(self):
        for device in reversed(self._ours):
            self._wake(device)

    def _sleep(self, device):
        done = device.sleep()
        if done:
            self.log.append(f"{device.name} sleeps")
        return done

    def _wake(self, device):
        if device.wake():
            self.log.append(f"{device.name} wakes")

    def _expect(self, down):
        if self._down != down:
            raise PowerError(f"the board is {'asleep' if self._down else 'awake'}")
