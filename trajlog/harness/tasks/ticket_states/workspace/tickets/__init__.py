from tickets.machine import Machine, TicketError
from tickets.office import Office
from tickets.ticket import Ticket

__all__ = ["Machine", "Office", "Ticket", "TicketError"]
