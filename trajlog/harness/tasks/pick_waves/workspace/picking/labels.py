"""Texts for the people who pick."""


def aisle(bin_name):
    return bin_name.rstrip("0123456789")


def walk_sheet(stops):
    """One line per stop, with a heading for every aisle."""
    lines, last = [], None
    for stop in stops:
        if aisle(stop.bin) != last:
            last = aisle(stop.bin)
            lines.append(f"aisle {last}")
        lines.append(f"  {stop.bin:<4} {stop.units:>3} x {stop.sku} for {stop.order}")
    return lines


def shortages(orders, stops):
    """order -> sku -> units that no stop serves."""
    missing = {}
    for order in orders:
        for line in order.open_lines():
            per_sku = missing.setdefault(order.number, {})
            per_sku[line.sku] = per_sku.get(line.sku, 0) + line.units
    for stop in stops:
        missing[stop.order][stop.sku] -= stop.units
    return {
        number: {sku: units for sku, units in per_sku.items() if units}
        for number, per_sku in missing.items()
        if any(per_sku.values())
    }
