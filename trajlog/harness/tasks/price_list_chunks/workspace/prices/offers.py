"""What suppliers offer for an article."""

from collections import defaultdict
from decimal import Decimal

from prices.amounts import format_amount
from prices.loader import load_text


class Offers:
    def __init__(self, piece_size=4096):
        self._piece_size = piece_size
        self._by_code = defaultdict(dict)

    def add_list(self, supplier, text):
        """Load a list; gives the number of articles."""
        articles = load_text(text, self._piece_size)
        for code, article in articles.items():
            self._by_code[code][supplier] = article
        return len(articles)

    def cheapest(self, code, currency="EUR"):
        offers = [(article.price, supplier) for supplier, article in self._by_code.get(code, {}).items()
                  if article.currency == currency]
        if not offers:
            raise LookupError(f"nobody offers {code} in {currency}")
        return min(offers)

    def order(self, amounts):
        """Lines of an order at the cheapest prices, and the total."""
        lines, total = [], Decimal(0)
        for code, count in sorted(amounts.items()):
            price, supplier = self.cheapest(code)
            lines.append(f"{count} x {code} from {supplier}: {format_amount(count * price)}")
            total += count * price
        return lines, format_amount(total)
