"""Recorded logs against the twin."""

from twin.probe import Probe, degrees


def parse_log(text):
    """Lines `thermistor dielectric hexframe`."""
    rows = []
    for line in text.splitlines():
        if line.strip():
            thermistor, dielectric, frame = line.split()
            rows.append((int(thermistor), int(dielectric), bytes.fromhex(frame)))
    return rows


def differences(text, probe=None):
    """Numbers of the lines where the twin has another frame."""
    probe = probe or Probe()
    found = []
    for number, (thermistor, dielectric, frame) in enumerate(parse_log(text), 1):
        if probe.sample(thermistor, dielectric).data() != frame:
            found.append(number)
    return found


def summary(frames):
    low = min(frame.temperature for frame in frames)
    high = max(frame.temperature for frame in frames)
    return f"{degrees(low)} to {degrees(high)}, moisture {frames[-1].moisture}"
