from firmware.behind import WriteBehind
from firmware.repository import Repository, RepositoryError
from firmware.server import DanglingReference, InUse, Server

__all__ = ["DanglingReference", "InUse", "Repository", "RepositoryError", "Server", "WriteBehind"]
