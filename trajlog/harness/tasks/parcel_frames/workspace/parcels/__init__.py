"""Parcel manifests as they come from the scanner link."""
