"""The main loop: raw samples in, frames out."""

from dataclasses import dataclass

from twin.cint import div, i16, mod, mul, u8
from twin.filters import Median3, Scale, Smooth, Trend


@dataclass(frozen=True)
class Frame:
    """Temperature in tenths of a degree, moisture in permille, trend in tenths per step."""

    temperature: int
    moisture: int
    trend: int
    check: int

    def data(self):
        parts = [part & 0xFFFF for part in (self.temperature, self.moisture, self.trend)]
        return b"".join(part.to_bytes(2, "big") for part in parts) + bytes([self.check])


def checksum(values):
    """Sum of value * 31 modulo 251, kept in a signed word and cut to a byte at the end."""
    total = 0
    for value in values:
        total = mod(i16(mul(total, 31) + value), 251)
    return u8(total)


def degrees(tenths):
    """Text as on the display of the probe."""
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(div(tenths, 10))}.{abs(mod(tenths, 10))}"


class Probe:
    """`coefficient` is the change of moisture, in permille, for ten degrees away from 20."""

    def __init__(self, gain=160, offset=-400, coefficient=12):
        self._median = Median3()
        self._scale = Scale(gain, offset, -550, 1250)
        self._smooth = Smooth(8)
        self._wet = Smooth(4)
        self._trend = Trend()
        self._coefficient = coefficient

    def sample(self, thermistor, dielectric):
        temperature = self._smooth.step(self._scale.step(self._median.step(i16(thermistor))))
        correction = div(mul(i16(temperature - 200), self._coefficient), 100)
        moisture = self._wet.step(i16(dielectric - correction))
        trend = self._trend.step(temperature)
        return Frame(temperature, moisture, trend, checksum((temperature, moisture, trend)))

    def run(self, samples):
        return [self.sample(*sample) for sample in samples]
