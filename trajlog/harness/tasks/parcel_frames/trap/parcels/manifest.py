"""Manifests: parcels, their notes and the routing table of the tour."""

from dataclasses import dataclass, field

from parcels.fields import Fields
from parcels.frames import NOTE, PARCEL, ROUTE, FrameError, frames


@dataclass
class Parcel:
    """`code` is what the scanner sees; it is text only when printed."""

    code: bytes
    grams: int
    depot: bytes
    notes: list = field(default_factory=list)

    def label(self):
        text = f"{str(self.code, 'ascii')} {self.grams / 1000:.2f} kg -> {str(self.depot, 'ascii')}"
        return text + "".join(f" [{str(note, 'utf-8')}]" for note in self.notes)


@dataclass
class Manifest:
    parcels: list = field(default_factory=list)
    routes: dict = field(default_factory=dict)
    rejected: list = field(default_factory=list)

    @property
    def grams(self):
        return sum(parcel.grams for parcel in self.parcels)

    def tour(self, depot):
        return self.routes.get(depot, 0)

    def labels(self):
        return [parcel.label() for parcel in self.parcels]


def read_manifest(link):
    manifest = Manifest()
    for frame in frames(link):
        if not frame.is_sound:
            manifest.rejected.append(frame.body)
            continue
        fields = Fields(frame.body)
        if frame.kind == PARCEL:
            manifest.parcels.append(Parcel(bytes(fields.raw()), fields.number(), bytes(fields.raw())))
        elif frame.kind == NOTE:
            if not manifest.parcels:
                raise FrameError("note before the first parcel")
            manifest.parcels[-1].notes.append(fields.rest())
        elif frame.kind == ROUTE:
            while fields:
                depot = bytes(fields.raw())
                manifest.routes[depot] = fields.number()
        else:
            raise FrameError(f"unknown frame {chr(frame.kind)!r}")
    return manifest
