"""What is baked when, and what customers get."""

TRAY = {"roll": 24, "bun": 12, "loaf": 6}


def baking_plan(book, day):
    """Pieces of each article by slot."""
    plan = {}
    for order in book.of_day(day):
        pieces = plan.setdefault(order.slot.hours, {})
        for line in order.lines:
            pieces[line.article] = pieces.get(line.article, 0) + line.pieces
    return plan


def trays(plan):
    """Trays that go into the oven, over all slots; articles without a tray size have one each."""
    needed = {}
    for pieces in plan.values():
        for article, number in pieces.items():
            needed[article] = needed.get(article, 0) + number
    return {article: -(-number // TRAY.get(article, 1)) for article, number in sorted(needed.items())}


def slip(order):
    """The text of the slip on the bag."""
    lines = [f"{order.customer}, {order.day:%d.%m.}, {order.slot.hours} h"]
    lines += [f"{line.pieces} x {line.article} {line.total():.2f}" for line in order.lines]
    lines.append(f"total {order.total():.2f}")
    if order.note:
        lines.append(f"({order.note})")
    return lines
