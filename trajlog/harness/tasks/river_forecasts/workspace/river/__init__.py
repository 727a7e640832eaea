"""Water level forecasts."""
