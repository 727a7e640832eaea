from crawl.crawler import Crawler
from crawl.rules import Rules
from crawl.urls import normalise
from crawl.web import MemoryWeb, Moved, Page


def test_normalise():
    found = [normalise(href, "http://a.org/x/y") for href in ("z#top", "HTTP://B.org:80", "mailto:me@a.org", "/q?p=1")]
    assert found == ["http://a.org/x/z", "http://b.org/", None, "http://a.org/q?p=1"]


def test_links_are_followed_once():
    web = MemoryWeb(
        {
            "http://a.org/": Page(["one", "two", "http://b.org/"], "home"),
            "http://a.org/one": Page(["/", "two#part"], "one"),
            "http://a.org/two": Page(["gone"], "two"),
        }
    )
    report = Crawler(web.fetch, Rules(hosts={"a.org"})).run(["http://a.org"])
    assert report.titles == {"http://a.org/": "home", "http://a.org/one": "one", "http://a.org/two": "two"}
    assert (report.failed, report.skipped) == ({"http://a.org/gone": "missing"}, {"http://b.org/": "foreign"})


def test_start_page_has_moved():
    web = MemoryWeb(
        {
            "http://a.org/": Moved("/en/"),
            "http://a.org/en/": Page(["news"], "home"),
            "http://a.org/en/news": Page([], "news"),
        }
    )
    report = Crawler(web.fetch, Rules()).run(["http://a.org/"])
    assert report.visited() == ["http://a.org/en/", "http://a.org/en/news"]


def test_depth_and_closed_parts():
    web = MemoryWeb({f"http://a.org/{n}": Page([f"/{n + 1}", "/private/x"]) for n in range(9)})
    report = Crawler(web.fetch, Rules(max_depth=3, closed={"a.org": ["/private"]}), workers=1).run(["http://a.org/0"])
    assert report.by_host() == {"a.org": 4}
    assert report.skipped == {"http://a.org/private/x": "closed", "http://a.org/4": "deep"}
