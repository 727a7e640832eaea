"""Power logs of solar roofs and the figures that are billed."""

from solar.log import LogError, PowerLog
from solar.peaks import Peak, daily_peaks, highest
from solar.roof import Roof
from solar.window import HoldWindow

__all__ = ["HoldWindow", "LogError", "Peak", "PowerLog", "Roof", "daily_peaks", "highest"]
