from backups.archive import Archive
from backups.plan import Plan
from backups.run import Run
from backups.scheduler import Scheduler
from backups.volume import Volume, VolumeError

__all__ = ["Archive", "Plan", "Run", "Scheduler", "Volume", "VolumeError"]
