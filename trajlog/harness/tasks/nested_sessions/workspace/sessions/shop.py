"""A little web shop."""

from functools import wraps


class Refused(Exception):
    """The page cannot be shown."""


class Shop:
    """Pages are functions of the visitor and some words. Every page counts as a visit."""

    def __init__(self, store):
        self._store = store
        self._pages = {
            "login": self.login,
            "logout": self.logout,
            "add": self.needs_login(self.add),
            "cart": self.needs_login(self.cart),
            "order": self.needs_login(self.order),
        }

    def request(self, sid, page, *words):
        with self._store.open(sid) as session:
            try:
                text = self._pages[page](sid, *words)
            except Refused as error:
                text = f"refused: {error}"
            if not session.ended:
                session["visits"] = session.get("visits", 0) + 1
                notes = session.pop("notes", [])
                text = " | ".join([text, *notes])
            return text

    def needs_login(self, page):
        @wraps(page)
        def checked(sid, *words):
            with self._store.open(sid) as session:
                if "user" not in session:
                    raise Refused("please log in")
            return page(sid, *words)

        return checked

    def note(self, sid, text):
        """To be shown with the answer."""
        with self._store.open(sid) as session:
            session.setdefault("notes", []).append(text)

    def login(self, sid, user):
        with self._store.open(sid) as session:
            session["user"] = user
        return f"hello {user}"

    def logout(self, sid):
        with self._store.open(sid) as session:
            session.end()
        return "bye"

    def add(self, sid, item):
        with self._store.open(sid) as session:
            cart = session.setdefault("cart", [])
            cart.append(item)
            if len(cart) == 3:
                self.note(sid, "free delivery")
            return f"{len(cart)} in the cart"

    def cart(self, sid):
        with self._store.open(sid) as session:
            return ", ".join(session.get("cart", []))

    def order(self, sid):
        with self._store.open(sid) as session:
            items = session.pop("cart", [])
            if not items:
                raise Refused("the cart is empty")
            return f"ordered {len(items)}"
