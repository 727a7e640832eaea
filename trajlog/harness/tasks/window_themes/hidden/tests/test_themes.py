import gc
import weakref

from ui.manager import WindowManager
from ui.signal import Signal
from ui.window import Label


def painted(manager):
    lines = list(manager.canvas)
    manager.canvas.clear()
    return lines


def test_closed_windows_are_not_painted():
    manager = WindowManager()
    for title in ("mail", "news", "chat"):
        manager.open(title).add(Label(title.upper()))
    manager.close("news")
    gc.collect()
    manager.theme.use("sepia")
    assert painted(manager) == ["mail in brown on beige", "  MAIL", "chat in brown on beige", "  CHAT"]


def test_windows_do_not_pile_up():
    manager = WindowManager()
    counts, ghosts = [], []
    for number in range(5):
        window = manager.open(f"w{number}")
        window.add(Label("x"))
        ghosts.append(weakref.ref(window))
        del window
        if number > 1:
            manager.close(f"w{number - 2}")
        gc.collect()
        counts.append(len(manager.theme.changed))
    assert counts == [1, 2, 2, 2, 2]
    assert [ghost() is None for ghost in ghosts] == [True, True, True, False, False]


def test_every_theme_reaches_every_window():
    manager = WindowManager()
    manager.open("a")
    manager.theme.use("dark")
    manager.open("b")
    manager.theme.use("light")
    with manager.theme.changed.block():
        manager.theme.use("sepia")
    gc.collect()
    manager.theme.use("dark")
    assert painted(manager) == [
        "a in silver on black",
        "a in black on white",
        "b in black on white",
        "a in silver on black",
        "b in silver on black",
    ]


def test_methods_and_functions():
    class Counter:
        def __init__(self):
            self.seen = []

        def on_value(self, value):
            self.seen.append(value)

    def also(value):
        counters[0].seen.append(-value)

    counters = [Counter(), Counter()]
    signal = Signal("values")
    for counter in counters:
        signal.connect(counter.on_value)
    signal.connect(also)
    reached = [signal.emit(7)]
    signal.disconnect(counters[1].on_value)
    reached.append(signal.emit(8))
    seen = [counter.seen for counter in counters]
    del counters[0], counter
    gc.collect()
    counters.insert(0, Counter())
    reached.append(signal.emit(9))
    assert (reached, seen, counters[0].seen) == ([3, 2, 1], [[7, -7, 8, -8], [7]], [-9])
