from memdb import Database


class Stop(Exception):
    pass


def shelf():
    db = Database()
    table = db.create("books", ["title", "shelf"], unique=["title"])
    with db.transaction():
        for title in ("Emma", "Faust", "Nana"):
            table.insert(title=title, shelf=1)
    return db, table


def attempt(db, *steps):
    """Run the steps within one transaction that fails in the end."""
    try:
        with db.transaction():
            for step in steps:
                step()
            raise Stop
    except Stop:
        return db.dump()["books"]


def within(db, *steps):
    def run():
        with db.transaction():
            for step in steps:
                step()

    return run


def test_row_changed_on_two_levels():
    db, table = shelf()
    rows = attempt(
        db,
        lambda: table.update(1, shelf=2),
        within(db, lambda: table.update(1, shelf=3), within(db, lambda: table.update(1, title="Emma II"))),
        lambda: table.update(1, shelf=9),
    )
    assert rows[1] == {"title": "Emma", "shelf": 1}
    assert [table.find("title", title) for title in ("Emma", "Emma II", "Faust")] == [1, None, 2]


def test_row_inserted_and_then_changed_within():
    db, table = shelf()
    rows = attempt(
        db, lambda: table.insert(title="Ulysses"), within(db, lambda: table.update(4, shelf=7)), lambda: table.delete(2)
    )
    assert sorted(rows) == [1, 2, 3]
    assert (table.find("title", "Ulysses"), rows[2]) == (None, {"title": "Faust", "shelf": 1})


def test_failed_inner_level_keeps_the_outer_change():
    db, table = shelf()
    with db.transaction():
        table.update(1, shelf=5)
        table.update(2, shelf=5)
        try:
            with db.transaction():
                table.update(1, shelf=6)
                table.delete(3)
                raise Stop
        except Stop:
            pass
        middle = [row["shelf"] for _, row in table.select()]
        within(db, lambda: table.update(2, shelf=8))()
    assert (middle, [row["shelf"] for _, row in table.select()]) == ([5, 5, 1], [5, 8, 1])


def test_deleted_and_made_anew():
    db, table = shelf()
    rows = attempt(
        db,
        lambda: table.delete(1),
        within(db, lambda: table.insert(title="Emma", shelf=4)),
        within(db, lambda: table.update(4, title="Persuasion"), lambda: table.update(2, title="Emma")),
    )
    assert rows == {
        1: {"title": "Emma", "shelf": 1},
        2: {"title": "Faust", "shelf": 1},
        3: {"title": "Nana", "shelf": 1},
    }
    assert [table.find("title", title) for title in ("Emma", "Faust", "Persuasion")] == [1, 2, None]


def test_three_levels_with_a_failure_in_the_middle():
    db, table = shelf()
    with db.transaction():
        table.update(3, shelf=2)
        try:
            with db.transaction():
                table.update(3, shelf=3)
                within(db, lambda: table.update(3, shelf=4, title="Germinal"))()
                raise Stop
        except Stop:
            pass
        middle = table.get(3)
    assert (middle, table.find("title", "Germinal")) == ({"title": "Nana", "shelf": 2}, None)
