"""What the road book says about a route."""

from elevation.track import MARKS


def steepest(track, over=500):
    """Grade in percent and start of the steepest stretch of at least `over` metres."""
    best = (0.0, None)
    for start_number, start in enumerate(track.points):
        end = next((p for p in track.points[start_number + 1 :] if p.metres - start.metres >= over), None)
        if end is None:
            break
        grade = round(100 * (end.height - start.height) / (end.metres - start.metres), 1)
        if grade > best[0]:
            best = (grade, start.metres)
    return best


def road_book(track):
    lines = [f"{track.name}: {track.length / 1000:.1f} km, {track.ascent():.0f} m up"]
    for mark in MARKS:
        places = track.marked(mark)
        if places:
            lines.append(f"  {mark}: " + ", ".join(f"km {metres / 1000:.1f}" for metres in places))
    grade, metres = steepest(track)
    if metres is not None:
        lines.append(f"  steepest: {grade} % from km {metres / 1000:.1f}")
    return lines
