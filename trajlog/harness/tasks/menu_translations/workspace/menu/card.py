"""Cards."""


class Card:
    """Dishes by course, with prices in cents."""

    def __init__(self, courses):
        self.courses = courses

    def dishes(self):
        return [dish for course in self.courses.values() for dish, _ in course]

    def lines(self, translator, language, width=28):
        made = []
        for course, dishes in self.courses.items():
            made.append(f"-- {translator.dish(course, language)} --")
            for dish, cents in dishes:
                name = translator.dish(dish, language)
                price = f"{cents // 100}.{cents % 100:02}"
                made.append(name + "." * max(2, width - len(name) - len(price)) + price)
        return made

    def missing(self, translator, language):
        return [dish for dish in self.dishes() if translator.dish(dish, language).endswith("*")]


class WeekCard(Card):
    """A card whose dishes change with the day; `days` maps a day to the courses that replace others."""

    def __init__(self, courses, days):
        super().__init__(courses)
        self._days = days

    def on(self, day):
        return Card(self.courses | self._days.get(day, {}))

    def all_dishes(self):
        found = self.dishes()
        for courses in self._days.values():
            found += [dish for dish in Card(courses).dishes() if dish not in found]
        return found


def two_languages(card, translator, one, other):
    """Dishes in two languages side by side."""
    return [f"{translator.dish(dish, one)} / {translator.dish(dish, other)}" for dish in card.dishes()]
