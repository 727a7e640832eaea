import pytest
from ui.geometry import Rect
from ui.manager import WindowManager
from ui.window import Label


@pytest.fixture
def manager():
    return WindowManager()


def test_stack_and_focus(manager):
    heard = []

    def on_focus(title):
        heard.append(title)

    manager.focus_changed.connect(on_focus)
    for title in ("mail", "news", "chat"):
        manager.open(title)
    manager.focus("mail")
    manager.close("mail")
    manager.close("news")
    assert (heard, manager.titles()) == (["mail", "news", "chat", "mail", "chat"], ["chat"])


def test_tiles(manager):
    for title in ("a", "b", "c"):
        manager.open(title)
    assert manager.tile() == [(0, 0, 26, 24), (26, 0, 26, 24), (52, 0, 28, 24)]


def test_click_brings_to_the_front(manager):
    manager.open("low", Rect(0, 0, 10, 10))
    manager.open("high", Rect(5, 5, 10, 10))
    assert [manager.click(6, 6), manager.click(1, 1), manager.click(6, 6)] == ["high", "low", "low"]


def test_windows_follow_the_theme(manager):
    manager.open("mail").add(Label("3 unread"))
    manager.open("news")
    manager.theme.use("dark")
    manager.theme.use("dark")
    assert manager.canvas == ["mail in silver on black", "  3 unread", "news in silver on black"]
