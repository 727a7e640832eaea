from project import Project

SITE = """
site: pages feed
feed: pages
pages: theme
theme:
stats:
pages after stats images
stats after theme
site = publish
stats = count
theme = copy
"""


def test_soft_order_holds_every_time():
    project = Project(SITE)
    first = project.order()
    assert [project.check(), project.order(), project.order()] == [
        [],
        ["theme", "stats", "pages", "feed", "site"],
        ["theme", "stats", "pages", "feed", "site"],
    ]
    assert first == project.order()


def test_needed_by_after_order_and_twice():
    project = Project(SITE)
    project.order()
    assert [project.needed_by("pages"), project.needed_by("theme"), project.needed_by("theme")] == [
        ["site", "feed"],
        ["pages", "site", "feed"],
        ["pages", "site", "feed"],
    ]


def test_build_after_everything_else():
    project = Project(SITE)
    project.check()
    project.needed_by("theme")
    project.build(lambda command: True)
    ran = []
    project.build(lambda command: not ran.append(command))
    assert ran == ["copy", "count", "publish"]


def test_only_soft_order():
    project = Project("z:\ny:\nx:\nz after x nothing\nx after y\n")
    assert (project.order(), project.order()) == (["y", "x", "z"], ["y", "x", "z"])
