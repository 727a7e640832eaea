from painter.document import Document, EditError
from painter.painter import Painter

__all__ = ["Document", "EditError", "Painter"]
