"""Star charts made on request."""
