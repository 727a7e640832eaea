"""Remembering the answers of methods."""

from functools import wraps


def remembered(method):
    """The answers of a method by its arguments, until `forget_answers` is called on the object."""

    name = method.__name__

    @wraps(method)
    def wrapper(self, *arguments):
        answers = self.__dict__.setdefault("_answers", {}).setdefault(name, {})
        if arguments not in answers:
            answers[arguments] = method(self, *arguments)
        return answers[arguments]

    return wrapper


def forget_answers(target):
    target.__dict__.pop("_answers", None)
