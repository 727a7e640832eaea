import pytest
from podcast import Library, Recorder, RecorderError, Store


def test_without_pause():
    store = Store()
    with Recorder(store, "ep1", ["ada", "ben"], longest=3) as recorder:
        for value in range(7):
            recorder.feed(ada=value, ben=10 * value)
            if value == 4:
                recorder.mark("dog")
    library = Library(store)
    assert (library.takes(), library.mixed("ep1", "ada", "ben")) == (["ep1"], [0, 11, 22, 33, 44, 55, 66])
    assert (library.summary("ep1", "ada"), library.chapters(recorder, "ben"), library.damaged()) == (
        'ep1 ada: 3+3+1 frames, 0 gaps', [(5, 'dog')], [],
    )


def test_pause():
    store = Store()
    with Recorder(store, "ep2", ["ada"]) as recorder:
        for value in (5, 6, 7):
            recorder.feed(ada=value)
        recorder.pause()
        recorder.feed(ada=99)
        recorder.resume()
        for value in (8, 9):
            recorder.feed(ada=value)
        recorder.mark("after the dog")
    library = Library(store)
    assert (library.frames("ep2", "ada"), recorder.dropped) == ([5, 6, 7, 8, 9], 1)
    assert library.chapters(recorder, "ada") == [(5, "after the dog")]


def test_discarded_after_an_error():
    store = Store()
    with pytest.raises(RecorderError, match="frames for"):
        with Recorder(store, "ep3", ["ada", "ben"], longest=1) as recorder:
            recorder.feed(ada=1, ben=1)
            recorder.feed(ada=1, ben=1)
            recorder.feed(ada=1)
    assert (store.names(), recorder.state) == ([], "stopped")


def test_states():
    events = []
    recorder = Recorder(Store(), "ep4", ["ada"])
    recorder.listen(lambda event, source: events.append((event, source.state)))
    with pytest.raises(RecorderError, match="ep4 is idle"):
        recorder.feed(ada=1)
    recorder.start()
    for action in (recorder.pause, recorder.pause, recorder.resume, recorder.resume, recorder.stop, recorder.stop):
        action()
    assert events == [("start", "recording"), ("pause", "paused"), ("resume", "recording"), ("stop", "stopped")]
