"""For people who write tasks: sizes, near-duplicates, splits, a first skeleton, imports, a record of validation."""
