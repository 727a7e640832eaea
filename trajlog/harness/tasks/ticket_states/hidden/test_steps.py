import pytest
from tickets import Office, Ticket, TicketError


def test_mails_and_seats():
    office = Office(["1A", "1B"])
    office.book("Ada", 2500)
    office.pay(101, 2500)
    assert (office.mailer.sent, office.seats.states()) == (
        ['Ada: Your place on the ferry is reserved.', 'Ada: We have received your payment.',
        'Ada: Your ticket is confirmed.'],
        {'1A': 'confirmed'},
    )


def test_payment_in_parts_and_cancellation():
    office = Office(["1A"])
    ticket = office.book("Ada", 2500)
    office.book("Ben", 900)
    office.pay(101, 1000)
    office.pay(101, 1500)
    office.cancel(101)
    assert (ticket.machine.history, office.mailer.sent[-3:], office.takings()) == (
        [('reserve', 'draft', 'reserved'), ('pay', 'reserved', 'paid'), ('dun', 'paid', 'reserved'),
        ('pay', 'reserved', 'paid'), ('confirm', 'paid', 'confirmed'),
        ('cancel', 'confirmed', 'cancelled'), ('refund', 'cancelled', 'refunded')],
        ['Ada: Your ticket is cancelled.', 'Ben: Your place on the ferry is reserved.',
        'Ada: We have sent back your money.'],
        0,
    )


def test_order_of_what_listeners_ask_for():
    ticket = Ticket(9, "Cyd", 700)
    seen = []

    def hasty(owner, event, old, new):
        if event == "pay":
            owner.fire("board")
            owner.fire("cancel")

    ticket.machine.listen(hasty)
    ticket.machine.listen(lambda owner, event, old, new: seen.append(f"{event}: {old} > {new}, now {owner.state}"))
    ticket.fire("reserve")
    with pytest.raises(TicketError) as refused:
        ticket.fire("pay", cents=700)
    assert (seen, str(refused.value), ticket.events(), ticket.state) == (
        ['reserve: draft > reserved, now reserved', 'pay: reserved > paid, now paid',
        'confirm: paid > confirmed, now confirmed', 'board: confirmed > boarded, now boarded'],
        '9: cancel is not possible when boarded', ['reserve', 'pay', 'confirm', 'board'], 'boarded',
    )


def test_ticket_can_be_used_after_an_error():
    ticket = Ticket(4, "Dan", 700)
    ticket.fire("reserve")

    def wrong(owner, event, old, new):
        if new == "confirmed":
            owner.fire("expire")
            owner.fire("cancel")

    stop = ticket.machine.listen(wrong)
    with pytest.raises(TicketError, match="4: expire is not possible when confirmed"):
        ticket.fire("pay", cents=700)
    stop()
    ticket.fire("board")
    assert (ticket.events(), ticket.machine.history[-1]) == (
        ['reserve', 'pay', 'confirm', 'board'], ('board', 'confirmed', 'boarded'),
    )


def test_error_in_a_listener():
    ticket = Ticket(5, "Eve", 700)

    def fail(owner, event, old, new):
        if event == "pay":
            raise KeyError("mail server")

    stop = ticket.machine.listen(fail)
    ticket.fire("reserve")
    with pytest.raises(KeyError):
        ticket.fire("pay", cents=800)
    seen = [ticket.state, ticket.events()]
    stop()
    ticket.fire("cancel")
    assert (seen, ticket.events(), ticket.state) == (
        ['paid', ['reserve', 'pay']], ['reserve', 'pay', 'cancel', 'refund'], 'refunded',
    )
