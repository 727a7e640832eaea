"""A text page."""


def page(service, names, width=24):
    """One line per gauge with a bar for each forecast level."""
    lines = []
    for name in names:
        forecast = service.forecast(name)
        if not forecast.levels:
            lines.append(f"{forecast.gauge:<{width}}no forecast")
            continue
        top = max(forecast.levels)
        bars = "".join(" .:-=+*#"[round(7 * level / top)] for level in forecast.levels)
        lines.append(f"{forecast.gauge:<{width}}{bars} {top:.2f}")
    return lines
