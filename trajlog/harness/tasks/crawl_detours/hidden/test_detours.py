from crawl.crawler import Crawler
from crawl.rules import Rules
from crawl.web import MemoryWeb, Moved, Page


def test_chain_of_moves_over_hosts():
    web = MemoryWeb(
        {
            "http://a.org/": Moved("http://www.a.org/"),
            "http://www.a.org/": Moved("https://www.a.org/start"),
            "https://www.a.org/start": Page(["old"], "start"),
            "https://www.a.org/old": Moved("new"),
            "https://www.a.org/new": Page([], "new"),
        }
    )
    report = Crawler(web.fetch, Rules(), workers=3).run(["http://a.org/"])
    assert report.titles == {"https://www.a.org/start": "start", "https://www.a.org/new": "new"}


def test_flaky_start_page():
    pages = {"http://a.org/": Page(["x"], "home"), "http://a.org/x": Page([], "x")}
    web = MemoryWeb(pages, flaky={"http://a.org/": 2})
    report = Crawler(web.fetch, Rules(), workers=2).run(["http://a.org/"])
    assert (report.titles, report.failed) == ({"http://a.org/": "home", "http://a.org/x": "x"}, {})


def test_flaky_last_page():
    pages = {"http://a.org/": Page(["x"], "home"), "http://a.org/x": Page(["y"], "x"), "http://a.org/y": Page([], "y")}
    for workers in (1, 2, 4):
        web = MemoryWeb(pages, flaky={"http://a.org/x": 1, "http://a.org/y": 7})
        report = Crawler(web.fetch, Rules(), workers).run(["http://a.org/"])
        assert report.visited() == ["http://a.org/", "http://a.org/x"]
        assert report.failed == {"http://a.org/y": "gave up after 3 tries"}


def test_moves_in_a_circle_end():
    web = MemoryWeb(
        {
            "http://a.org/": Moved("/b"),
            "http://a.org/b": Moved("/c"),
            "http://a.org/c": Moved("/"),
            "http://b.org/": Page(["http://c.org/"], "b"),
            "http://c.org/": Moved("http://b.org/deep"),
            "http://b.org/deep": Page([], "deep"),
        }
    )
    report = Crawler(web.fetch, Rules(hosts={"a.org", "b.org", "c.org"}), workers=1).run(
        ["http://a.org/", "http://b.org/"]
    )
    assert report.titles == {"http://b.org/": "b", "http://b.org/deep": "deep"}
