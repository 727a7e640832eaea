"""Playlists for other players."""

from playlists.model import Playlist, Track

HEAD = "#EXTM3U"


class M3uError(ValueError):
    """A list that other players would not read either."""


def _file_name(title):
    return "".join(char if char.isalnum() or char in " -_" else "_" for char in title) + ".ogg"


def export_m3u(playlist):
    lines = [HEAD, f"#PLAYLIST:{playlist.name}"]
    for track in playlist.tracks:
        lines += [f"#EXTINF:{track.seconds},{track.title}", track.extra.get("file") or _file_name(track.title)]
    return "\n".join(lines) + "\n"


def import_m3u(text, name="imported"):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or lines[0] != HEAD:
        raise M3uError("the list has no head")
    playlist, info = Playlist(name), None
    for line in lines[1:]:
        if line.startswith("#PLAYLIST:"):
            playlist.name = line.removeprefix("#PLAYLIST:")
        elif line.startswith("#EXTINF:"):
            seconds, comma, title = line.removeprefix("#EXTINF:").partition(",")
            if not comma or not seconds.lstrip("-").isdigit():
                raise M3uError(f"bad line {line!r}")
            info = title, max(int(seconds), 0)
        elif not line.startswith("#"):
            title, seconds = info or (line.rpartition(".")[0] or line, 0)
            playlist.tracks.append(Track(title, seconds, {"file": line}))
            info = None
    return playlist
