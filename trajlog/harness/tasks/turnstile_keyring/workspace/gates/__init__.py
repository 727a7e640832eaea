"""Turnstiles that check signed tickets."""

from gates.keyring import Keyring, KeyServerError
from gates.ticket import Ticket, TicketError, sign
from gates.turnstile import Station, Turnstile

__all__ = ["KeyServerError", "Keyring", "Station", "Ticket", "TicketError", "Turnstile", "sign"]
