"""Field types: each cleans a text and may complain."""


class Invalid(ValueError):
    """The text does not fit the field."""


class Field:
    def __init__(self, label, required=True, help=""):
        self.label = label
        self.required = required
        self.help = help
        self.errors = []

    def clean(self, text):
        text = (text or "").strip()
        if not text:
            if self.required:
                raise Invalid(f"{self.label} is missing")
            return None
        return self.convert(text)

    def convert(self, text):
        return text


class Whole(Field):
    def __init__(self, label, low=0, high=999, **options):
        super().__init__(label, **options)
        self.low, self.high = low, high

    def convert(self, text):
        if not text.isdecimal() or not self.low <= int(text) <= self.high:
            raise Invalid(f"{self.label} must be {self.low} to {self.high}")
        return int(text)


class Choice(Field):
    def __init__(self, label, choices, **options):
        super().__init__(label, **options)
        self.choices = list(choices)

    def convert(self, text):
        if text not in self.choices:
            raise Invalid(f"{self.label} must be one of {', '.join(self.choices)}")
        return text
