"""Results of a worksheet as tables."""

from lab.worksheet import Worksheet


def results_of(text, **lab_values):
    """Triples of sample, name and value."""
    return [(result.sample, result.name, result.value) for result in Worksheet(lab_values).run(text)]


def table(results):
    """A dict of batch and its samples with their values."""
    batches = {}
    for result in results:
        batches.setdefault(result.batch, {}).setdefault(result.sample, {})[result.name] = result.value
    return batches


def outside(results, name, low, high):
    """Samples whose value is out of range."""
    return [result.sample for result in results if result.name == name and not low <= result.value <= high]
