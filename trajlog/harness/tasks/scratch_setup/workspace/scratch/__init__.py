from scratch.registry import NameInUse, Registry
from scratch.steps import CopyFiles, MakeFolders, RunHook, SetupError
from scratch.workspace import Workspace

__all__ = ["CopyFiles", "MakeFolders", "NameInUse", "Registry", "RunHook", "SetupError", "Workspace"]
