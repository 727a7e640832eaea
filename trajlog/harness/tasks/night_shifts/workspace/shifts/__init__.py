"""Plan shifts and pay them."""
