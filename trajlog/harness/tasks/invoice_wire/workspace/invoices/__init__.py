"""Exchange of invoices with partners."""
