"""Figures of finished missions."""


def summary(missions):
    """Lines with the state, the battery left and the photos of each mission."""
    lines = []
    for mission in sorted(missions, key=lambda mission: mission.name):
        reason = f" ({mission.reason})" if mission.reason else ""
        photos = ", ".join(subject for subject, _ in mission.drone.photos) or "no photos"
        lines.append(f"{mission.name}: {mission.state}{reason}, {mission.drone.battery} %, {photos}")
    return lines


def coverage(missions, subjects):
    """Which of the subjects were photographed, in percent."""
    seen = {subject for mission in missions for subject, _ in mission.drone.photos}
    return round(100 * len(seen & set(subjects)) / len(subjects))
