"""The report of an evening."""

from boxoffice.hall import SeatTaken


def report(office, hall):
    """Counts and takings, for the manager."""
    sold = [order for order in office.orders if order.state == "sold"]
    return {
        "orders": len(office.orders),
        "sold": len(sold),
        "refused": [order.customer for order in office.orders if order.state == "refused"],
        "takings": sum(order.cents() for order in sold),
        "seats": (hall.count("free"), hall.count("held"), hall.count("sold")),
    }


def tickets(order):
    """Lines to print for a sold order."""
    if order.state != "sold":
        raise ValueError(f"order {order.number} is {order.state}")
    return [f"{seat} {order.customer} {order.receipt}" for seat in order.seats]


def order_all(office, wishes):
    """Order for pairs of customer and number of seats; the customers that got none."""
    without = []
    for customer, number in wishes:
        try:
            office.order(customer, number=number)
        except SeatTaken:
            without.append(customer)
    return without
