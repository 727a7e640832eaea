"""Programs: observations written down beforehand."""

from observatory.rack import CameraError
from observatory.telescope import TelescopeError


def run(session, text):
    """Lines such as `camera blue` and `M31 55 visual 120 x2`; one result line for each, errors included."""
    results = []
    for line in text.splitlines():
        words = line.split()
        try:
            match words:
                case []:
                    continue
                case ["camera", name]:
                    session.change_camera(name)
                    results.append(f"camera {session.camera}")
                case [target, altitude, colour, seconds, *times]:
                    count = int(times[0].lstrip("x")) if times else 1
                    values = session.observe(target, int(altitude), colour, int(seconds), count)
                    results.append(f"{target} {colour} {values}")
                case _:
                    results.append(f"? {line.strip()}")
        except (CameraError, TelescopeError) as error:
            results.append(f"! {error}")
    return results


def statistics(frames):
    """Number of frames and mean value by target and colour."""
    groups = {}
    for frame in frames:
        groups.setdefault((frame.target, frame.colour), []).append(frame.value)
    return {key: (len(values), round(sum(values) / len(values), 1)) for key, values in sorted(groups.items())}
