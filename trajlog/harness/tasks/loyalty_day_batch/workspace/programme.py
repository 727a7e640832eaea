"""The loyalty programme."""

from levels import level_of, points_for
from receipts import BookingError, read_lines
from tally import Store


def member_key(number):
    return f"member/{number}"


class Programme:
    """Members have `points` to spend and `earned` points, which only grow."""

    def __init__(self, store=None):
        self._store = store or Store()

    def join(self, number, name):
        if self._store.get(member_key(number)) is not None:
            raise ValueError(f"{number} is a member already")
        with self._store.batch() as batch:
            batch.put(member_key(number), {"name": name, "points": 0, "earned": 0, "level": "basic"})

    def book_day(self, text):
        """Book all lines of a file, or none. The number of lines."""
        count = 0
        with self._store.batch() as batch:
            for line in read_lines(text):
                getattr(self, f"_{line.verb}")(batch, line)
                count += 1
        return count

    def member(self, number):
        record = self._store.get(member_key(number))
        if record is None:
            raise LookupError(f"no member {number}")
        return record

    def points(self):
        """Points of all members by number."""
        return {key.partition("/")[2]: self._store.get(key)["points"] for key in self._store.keys("member/")}

    def vouchers(self):
        """Pairs of member and reward, in the order of their numbers."""
        vouchers = [self._store.get(key) for key in self._store.keys("voucher/")]
        return [(voucher["member"], voucher["reward"]) for voucher in vouchers]

    def statement(self, number):
        record = self.member(number)
        rewards = [reward for member, reward in self.vouchers() if member == number]
        text = f"{record['name']} ({record['level']}): {record['points']} points"
        return text + (f", vouchers: {', '.join(rewards)}" if rewards else "")

    def _load(self, line, number):
        record = self._store.get(member_key(number))
        if record is None:
            raise BookingError(line.number, f"no member {number}")
        return record

    def _take(self, batch, line):
        """Take the points of the line from its member."""
        record = self._load(line, line.member)
        if record["points"] < line.points:
            raise BookingError(line.number, f"{line.member} has only {record['points']} points")
        record["points"] -= line.points
        batch.put(member_key(line.member), record)

    def _buy(self, batch, line):
        record = self._load(line, line.member)
        points = points_for(line.cents, level_of(record["earned"]))
        record["points"] += points
        record["earned"] += points
        record["level"] = level_of(record["earned"]).name
        batch.put(member_key(line.member), record)

    def _spend(self, batch, line):
        self._take(batch, line)
        counter = self._store.get("counter", {"vouchers": 0})
        counter["vouchers"] += 1
        batch.put("counter", counter)
        batch.put(f"voucher/{counter['vouchers']:06}", {"member": line.member, "reward": line.target})

    def _gift(self, batch, line):
        target = self._load(line, line.target)
        if line.target == line.member:
            raise BookingError(line.number, "a gift to oneself")
        self._take(batch, line)
        target["points"] += line.points
        batch.put(member_key(line.target), target)
