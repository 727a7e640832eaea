"""Price lists into articles."""

from dataclasses import dataclass
from decimal import Decimal

from prices.amounts import format_amount, parse_amount
from prices.scanner import ListError, RowScanner

TITLES = {"article": "code", "no.": "code", "name": "name", "text": "name", "price": "price", "unit": "unit"}
REQUIRED = ("code", "name", "price")


@dataclass(frozen=True)
class Article:
    code: str
    name: str
    price: Decimal
    currency: str
    unit: str = "piece"

    def label(self):
        return f"{self.code} {self.name}: {format_amount(self.price)} {self.currency} per {self.unit}"


class Loader:
    """Takes pieces of a list. The first row has the titles of the columns, in any order."""

    def __init__(self):
        self._scanner = RowScanner()
        self._columns = None
        self.articles = {}

    def feed(self, piece):
        self._take_rows(self._scanner.feed(piece))

    def close(self):
        self._take_rows(self._scanner.close())
        if self._columns is None:
            raise ListError(1, "the list is empty")
        return self.articles

    def _take_rows(self, rows):
        for line, cells in rows:
            if self._columns is None:
                self._columns = self._find_columns(line, cells)
            else:
                article = self._article(line, cells)
                self.articles[article.code] = article

    def _find_columns(self, line, cells):
        columns = [TITLES.get(cell.strip().lower()) for cell in cells]
        missing = [name for name in REQUIRED if name not in columns]
        if missing:
            raise ListError(line, f"no column for {', '.join(missing)}")
        return columns

    def _article(self, line, cells):
        if len(cells) != len(self._columns):
            raise ListError(line, f"{len(cells)} cells for {len(self._columns)} columns")
        fields = {column: cell.strip() for column, cell in zip(self._columns, cells, strict=True) if column}
        if not fields["code"] or fields["code"] in self.articles:
            raise ListError(line, f"bad code {fields['code']!r}")
        try:
            price, currency = parse_amount(fields["price"])
        except ValueError as error:
            raise ListError(line, str(error)) from None
        return Article(fields["code"], fields["name"], price, currency, fields.get("unit") or "piece")


def load_text(text, piece_size=4096):
    loader = Loader()
    for start in range(0, len(text), piece_size):
        loader.feed(text[start:start + piece_size])
    return loader.close()
