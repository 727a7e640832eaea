"""trajlog: an event-sourced trajectory store with a streaming learner.

Importing this package has no side effects and needs no torch.
"""

__version__ = "0.1.0"
