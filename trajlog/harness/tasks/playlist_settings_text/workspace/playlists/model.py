from dataclasses import dataclass, field

DEFAULT_SETTINGS = {"volume": 50, "repeat": "off", "fade": {"seconds": 0}}


@dataclass
class Track:
    title: str
    seconds: int
    extra: dict = field(default_factory=dict)


@dataclass
class Playlist:
    name: str
    tracks: list = field(default_factory=list)
    settings: dict = field(default_factory=dict)

    def seconds(self):
        """Playing time; fading tracks overlap."""
        overlap = self.setting("fade.seconds") * max(len(self.tracks) - 1, 0)
        return sum(track.seconds for track in self.tracks) - overlap

    def setting(self, path):
        """A setting by its dotted path, else the default one."""
        for source in (self.settings, DEFAULT_SETTINGS):
            value = source
            for name in path.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            if value is not None:
                return value
        raise LookupError(f"no setting {path!r}")
