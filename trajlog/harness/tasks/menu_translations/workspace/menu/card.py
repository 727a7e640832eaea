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
