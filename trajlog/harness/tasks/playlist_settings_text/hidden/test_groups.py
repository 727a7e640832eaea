from playlists.library import from_text, to_text
from playlists.model import Playlist, Track
from playlists.textform import read_text, write_text


def test_groups_in_groups():
    settings = {"eq": {"bands": {"low": {"gain": 2}, "q": 1}, "preamp": -3}, "dsp": {"on": True}, "volume": 5}
    loaded = from_text(to_text(Playlist("p", settings=settings)))
    assert loaded.settings == {
        "eq": {"bands": {"low": {"gain": 2}, "q": 1}, "preamp": -3}, "dsp": {"on": True}, "volume": 5
    }


def test_extra_of_tracks():
    tracks = [Track("a", 1, {"tags": {"mood": "calm"}, "bpm": 90}), Track("b", 2, {"cues": [{"at": 3}], "key": "Am"})]
    loaded = from_text(to_text(Playlist("p", tracks, {"x": {}, "y": 1})))
    assert [track.extra for track in loaded.tracks] == [
        {"tags": {"mood": "calm"}, "bpm": 90}, {"cues": [{"at": 3}], "key": "Am"}
    ]
    assert loaded.settings == {"x": {}, "y": 1}


def test_values_after_a_list_of_groups():
    document = {"items": [{"deep": {"a": 1}, "b": 2}, {"b": 3}], "last": [1, [2, "three"]], "none": None}
    assert read_text(write_text(document)) == {
        "items": [{"deep": {"a": 1}, "b": 2}, {"b": 3}], "last": [1, [2, "three"]], "none": None
    }


def test_group_between_lists_of_groups():
    document = {"g": {"rows": [{"n": 1}, {"n": 2}], "size": 2, "end": {"z": 0}}, "top": "t"}
    assert read_text(write_text(document)) == {
        "g": {"rows": [{"n": 1}, {"n": 2}], "size": 2, "end": {"z": 0}}, "top": "t"
    }


def test_files_written_so_far():
    text = 'name = "p"\n[settings]\n[settings.fade]\nseconds = 3\n[settings.eq]\n[settings.eq.low]\ng = 1\n'
    assert from_text(text).settings == {"fade": {"seconds": 3}, "eq": {"low": {"g": 1}}}
