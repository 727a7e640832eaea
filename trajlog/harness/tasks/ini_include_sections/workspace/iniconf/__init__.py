"""Settings from ini files that include each other."""

from iniconf.errors import IniError
from iniconf.parser import load
from iniconf.sources import DictSource, FolderSource

__all__ = ["DictSource", "FolderSource", "IniError", "load"]
