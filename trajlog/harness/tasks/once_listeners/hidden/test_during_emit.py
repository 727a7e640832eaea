from emitter import Emitter


def test_listener_cancelled_by_an_earlier_one_is_not_called():
    emitter, heard = Emitter(), []
    emitter.on("tick", lambda: second.cancel())
    second = emitter.on("tick", lambda: heard.append("second"))
    emitter.on("tick", lambda: heard.append("third"))
    assert emitter.emit("tick") == 2
    assert heard == ["third"]
    assert emitter.count("tick") == 2


def test_listener_added_during_emit_waits_for_the_next_event():
    emitter, heard = Emitter(), []
    emitter.once("tick", lambda: emitter.on("tick", lambda: heard.append("late")))
    emitter.emit("tick")
    assert heard == []
    emitter.emit("tick")
    assert heard == ["late"]


def test_once_listener_that_emits_again_is_called_once():
    emitter, heard = Emitter(), []

    def again():
        heard.append("again")
        if len(heard) < 5:
            emitter.emit("tick")

    emitter.once("tick", again)
    emitter.on("tick", lambda: heard.append("on"))
    emitter.emit("tick")
    assert heard == ["again", "on", "on"]


def test_cancelling_twice_is_harmless():
    emitter, heard = Emitter(), []
    subscription = emitter.on("tick", lambda: heard.append(1))
    emitter.on("tick", lambda: heard.append("kept"))
    subscription.cancel()
    subscription.cancel()
    assert [emitter.emit("tick"), emitter.count("tick"), *heard] == [1, 1, "kept"]
