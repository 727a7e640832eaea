"""The mount: two motors that count steps."""

from scope.angle import CIRCLE, SECOND, Angle

STEP = 5 * SECOND


class Mount:
    """`offset` is added to every declination, for a tripod that leans."""

    def __init__(self, offset="+00 00 00"):
        self.offset = Angle.parse(offset)
        self.ra = Angle()
        self.dec = Angle()
        self.log = []

    def slew(self, star):
        """Point to the star. Returns the steps of both motors; the way around the sky is the shorter one."""
        turn = (star.ra - self.ra).wrapped()
        if turn.mas > CIRCLE // 2:
            turn = turn - Angle(CIRCLE)
        target = star.dec + self.offset
        tilt = target - self.dec
        self.ra, self.dec = star.ra, target
        self.log.append(f"{star.name} {turn} {tilt}")
        return self._steps(turn), self._steps(tilt)

    @staticmethod
    def _steps(angle):
        size = (abs(angle.mas) + STEP // 2) // STEP
        return -size if angle.mas < 0 else size
