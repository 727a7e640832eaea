import io

import pytest
from parcels.depot import Depot, UnknownParcel
from parcels.fields import pack_fields
from parcels.frames import END, NOTE, PARCEL, ROUTE, FrameError, pack
from parcels.link import Link
from parcels.manifest import read_manifest


def sent(*frames, block=64):
    return Link(io.BytesIO(b"".join(frames) + bytes([END, 0])), block)


def parcel(code, grams, depot=b"NORD"):
    return pack(PARCEL, pack_fields(code, grams, depot))


def test_short_manifest():
    manifest = read_manifest(sent(parcel(b"A17", 1250), pack(NOTE, b"fragile"), parcel(b"B2", 300, b"WEST")))
    assert manifest.labels() == ["A17 1.25 kg -> NORD [fragile]", "B2 0.30 kg -> WEST"]
    assert manifest.grams == 1550


def test_long_manifest():
    manifest = read_manifest(sent(*[parcel(b"K%03d" % number, 500 + number) for number in range(9)]))
    assert manifest.labels()[:2] == ["K000 0.50 kg -> NORD", "K001 0.50 kg -> NORD"]
    depot = Depot()
    assert depot.receive(manifest) == 9
    assert depot.find(b"K003").grams == 503


def test_routes():
    manifest = read_manifest(sent(pack(ROUTE, pack_fields(b"NORD", 7, b"WEST", 12))))
    assert (manifest.tour(b"NORD"), manifest.tour(b"WEST"), manifest.tour(b"OST")) == (7, 12, 0)


def test_cut_off():
    with pytest.raises(FrameError, match="manifest is cut off"):
        read_manifest(Link(io.BytesIO(parcel(b"A17", 1250)[:-4])))
    with pytest.raises(FrameError, match="without an end"):
        read_manifest(Link(io.BytesIO(parcel(b"A17", 1250))))


def test_depot():
    depot = Depot()
    depot.receive(read_manifest(sent(parcel(b"A1", 900), parcel(b"A2", 1700, b"WEST"))), b"WEST")
    assert (len(depot), depot.heaviest()) == (1, "A2 1.70 kg -> WEST")
    assert depot.hand_out(b"A2") == "A2 1.70 kg -> WEST"
    with pytest.raises(UnknownParcel):
        depot.find(b"A2")
