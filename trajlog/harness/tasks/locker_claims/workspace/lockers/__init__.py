"""Banks of parcel lockers."""
