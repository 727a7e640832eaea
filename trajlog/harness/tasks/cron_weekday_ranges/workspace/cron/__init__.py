"""Job tables with the times of the classic cron."""

from cron.fields import CronError
from cron.schedule import Schedule
from cron.table import Table

__all__ = ["CronError", "Schedule", "Table"]
