from podcast import Library, Recorder, Store


def recorded(script, longest=100, end=Recorder.stop):
    """Letters: `f` feeds the next number, `p` pauses, `r` resumes, `m` marks."""
    store = Store()
    recorder = Recorder(store, "t", ["a", "b"], longest).start()
    value = 0
    for sign in script:
        if sign == "f":
            value += 1
            recorder.feed(a=value, b=value * value)
        elif sign == "m":
            recorder.mark(f"at {value}")
        else:
            (recorder.pause if sign == "p" else recorder.resume)()
    end(recorder)
    return store, recorder, Library(store)


def test_lines_of_a_file():
    store, _, library = recorded("ffprfprpprf")
    assert (store.read("t/b.1"), library.damaged(), store.open_names()) == (
        ['head b 1', 'frame 1', 'frame 4', 'gap', 'frame 9', 'gap', 'frame 16', 'end 4 33930'], [], [],
    )


def test_segments_keep_their_length():
    store, recorder, library = recorded("fffprfffpfrffmpmrffm", longest=4)
    found = [library.summary("t", track) for track in "ab"]
    assert (found, library.chapters(recorder, "a"), library.damaged(), recorder.dropped) == (
        ['t a: 4+4+2 frames, 2 gaps', 't b: 4+4+2 frames, 2 gaps'],
        [(8, 'at 9'), (8, 'at 9'), (10, 'at 11')], [], 1,
    )


def test_pause_at_the_borders():
    store, recorder, library = recorded("prffpprrffpr", longest=2)
    gaps = [(segment.number, segment.frames, segment.gaps) for segment in library.segments("t", "b")]
    assert (gaps, store.read("t/a.2"), library.damaged()) == (
        [(1, [1, 4], []), (2, [9, 16], [])], ['head a 2', 'frame 3', 'frame 4', 'end 2 97'], [],
    )


def test_stopped_in_a_pause():
    store, recorder, library = recorded("fffrpfp")
    recorder.stop()
    assert (store.read("t/a.1"), store.open_names(), recorder.dropped) == (
        ['head a 1', 'frame 1', 'frame 2', 'frame 3', 'end 3 1026'], [], 1,
    )


def test_discarded_in_a_pause():
    store, recorder, library = recorded("fffprffp", longest=2, end=Recorder.discard)
    assert (store.names(), library.takes(), recorder.marks, recorder.state) == ([], [], [], "stopped")


def test_sums_after_many_pauses():
    store, _, library = recorded("fpr" * 9, longest=5)
    assert ([store.read(name)[-1] for name in store.names()], library.mixed("t", "a", "b")[-3:]) == (
        ['end 5 3300', 'end 4 54688', 'end 5 3519', 'end 4 7773'], [56, 72, 90],
    )
