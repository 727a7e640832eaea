from seating.model import Desk, Section, SeatingError
from seating.plan import Seating

__all__ = ["Desk", "Section", "Seating", "SeatingError"]
