"""Seats for a gala dinner."""

import json


class Chart:
    """Tables in order, from the stage to the door, and wishes of guests (guest -> table)."""

    def __init__(self):
        self.tables = {}
        self.wishes = {}

    def add_table(self, name, seats):
        if name in self.tables:
            raise ValueError(f"table {name} is there already")
        self.tables[name] = seats
        return self

    def wish(self, guest, table):
        if table not in self.tables:
            raise LookupError(f"{guest} wishes to sit at table {table}, which is not there")
        self.wishes[guest] = table

    def seat(self, guests):
        """Guests by table. Wishes come first, then the tables are filled in order."""
        seated = {name: [] for name in self.tables}
        waiting = []
        for guest in guests:
            table = self.wishes.get(guest)
            if table is not None and len(seated[table]) < self.tables[table]:
                seated[table].append(guest)
            else:
                waiting.append(guest)
        places = (name for name, seats in self.tables.items() for _ in range(seats - len(seated[name])))
        for guest, name in zip(waiting, list(places), strict=False):
            seated[name].append(guest)
        return {name: names for name, names in seated.items() if names}

    def free_seats(self, guests):
        return sum(self.tables.values()) - sum(map(len, self.seat(guests).values()))


def dumps(chart):
    document = {
        "tables": [[name, seats] for name, seats in chart.tables.items()],
        "wishes": dict(sorted(chart.wishes.items())),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def loads(text):
    document = json.loads(text)
    chart = Chart()
    tables = document["tables"]
    for name, seats in tables.items() if isinstance(tables, dict) else tables:
        chart.add_table(name, seats)
    for guest, table in document["wishes"].items():
        chart.wish(guest, table)
    return chart


def save(chart, path):
    path.write_text(dumps(chart) + "\n", encoding="utf-8")


def load(path):
    return loads(path.read_text(encoding="utf-8"))
