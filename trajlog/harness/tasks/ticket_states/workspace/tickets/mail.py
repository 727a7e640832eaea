"""Mails to passengers."""

TEXTS = {
    "reserve": "Your place on the ferry is reserved.",
    "pay": "We have received your payment.",
    "dun": "Your payment does not cover the price.",
    "confirm": "Your ticket is confirmed.",
    "cancel": "Your ticket is cancelled.",
    "refund": "We have sent back your money.",
}


class Mailer:
    def __init__(self):
        self.sent = []

    def __call__(self, ticket, event, old, new):
        if event in TEXTS:
            self.sent.append(f"{ticket.passenger}: {TEXTS[event]}")
