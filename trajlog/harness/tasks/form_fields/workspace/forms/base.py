"""Forms are classes whose attributes are fields."""

from forms.fields import Choice, Field, Invalid


class FormType(type):
    def __new__(mcls, name, bases, namespace):
        fields = {}
        for base in bases:
            fields.update(getattr(base, "_declared", {}))
        for key in [key for key, value in namespace.items() if isinstance(value, Field)]:
            fields[key] = namespace.pop(key)
        made = super().__new__(mcls, name, bases, namespace)
        made._declared = fields
        return made


class Form(metaclass=FormType):
    def __init__(self, data=None):
        self.data = data or {}
        self.cleaned = {}
        self._fields = dict(self._declared)

    def field(self, key):
        if key not in self._fields:
            raise KeyError(f"{type(self).__name__} has no field {key}")
        return self._fields[key]

    def keys(self):
        return list(self._fields)

    def limit(self, key, allowed):
        """Keep only these choices of a choice field."""
        field = self.field(key)
        if not isinstance(field, Choice):
            raise TypeError(f"{key} has no choices")
        field.choices[:] = [choice for choice in field.choices if choice in allowed]

    def drop(self, key):
        self.field(key)
        self._fields.pop(key)

    def is_valid(self):
        self.cleaned = {}
        for key, field in self._fields.items():
            field.errors.clear()
            try:
                self.cleaned[key] = field.clean(self.data.get(key))
            except Invalid as error:
                field.errors.append(str(error))
        return not self.errors()

    def errors(self):
        return [error for field in self._fields.values() for error in field.errors]

    def describe(self):
        return [describe(key, field) for key, field in self._fields.items()]


def describe(key, field):
    text = key if field.required else f"[{key}]"
    if isinstance(field, Choice):
        text += "=" + "|".join(field.choices)
    return text


def fields_of(form_class):
    return [describe(key, field) for key, field in form_class._declared.items()]
