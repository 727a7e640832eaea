"""Events as lines for the bulletin, and as small pictures."""

from quake.measures import level, peak

_SHADES = " .:-=+*#"


def picture(samples, width=20):
    """The loudness in `width` columns."""
    size = max(1, -(-len(samples) // width))
    columns = [peak(samples[start : start + size]) for start in range(0, len(samples), size)]
    loudest = max(columns) or 1
    return "".join(_SHADES[(len(_SHADES) - 1) * column // loudest] for column in columns)


def event_line(event, head):
    samples = event.samples()
    noise = level(event.lead_in()) if event.lead else 0.0
    return (
        f"{head.seconds(event.trigger):8.2f} s  peak {peak(samples):5}  noise {noise:6.1f}  "
        f"{head.seconds(len(samples)):.2f} s |{picture(samples)}|"
    )


def bulletin(run):
    lines = [event_line(event, run.recording.head) for event in run]
    return [*lines, f"{len(lines)} events in {run.blocks_done} blocks"]
