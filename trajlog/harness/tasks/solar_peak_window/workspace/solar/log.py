"""Reports of one inverter."""

from bisect import bisect_right


class LogError(ValueError):
    """Reports that do not follow each other."""


class PowerLog:
    """Reports `(second, watts)`; a value holds until the next report."""

    def __init__(self, name, reports=()):
        self.name = name
        self._times = []
        self._watts = []
        for second, watts in reports:
            self.add(second, watts)

    def __len__(self):
        return len(self._times)

    def __iter__(self):
        return iter(zip(self._times, self._watts, strict=True))

    def add(self, second, watts):
        if self._times and second < self._times[-1]:
            raise LogError(f"{self.name}: {second} s comes after {self._times[-1]} s")
        if self._times and second == self._times[-1]:
            self._watts[-1] = watts
            return
        self._times.append(second)
        self._watts.append(watts)

    def at(self, second):
        """The power at a moment; nothing is known before the first report."""
        index = bisect_right(self._times, second) - 1
        return self._watts[index] if index >= 0 else 0

    def energy_wh(self):
        joules = 0
        for index in range(1, len(self._times)):
            joules += self._watts[index - 1] * (self._times[index] - self._times[index - 1])
        return joules / 3600


def parse_log(name, text):
    """Lines `second watts`, with `#` comments."""
    log = PowerLog(name)
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split("#")[0].split()
        if not fields:
            continue
        if len(fields) != 2:
            raise LogError(f"{name}:{number}: two fields expected")
        log.add(int(fields[0]), int(fields[1]))
    return log
