"""The bottom layer and the plans that are laid over it."""

DEFAULTS = {
    "locale": {"language": "en", "timezone": "UTC"},
    "features": {"enabled": ["export"], "rollout_percent": 0},
    "limits": {"seats": 5, "storage_gb": 10},
    "alerts": {"channels": ["email"], "quiet_hours": None},
}

PLANS = {
    "free": {},
    "team": {
        "limits": {"seats": 50},
        "support": {"contacts": ["help@example.com"], "hours": {"from": 9, "to": 17}},
    },
    "enterprise": {
        "limits": {"seats": 5000, "storage_gb": 2000},
        "features": {"enabled": ["export", "audit-log", "sso"]},
        "support": {"contacts": ["vip@example.com"], "hours": {"from": 0, "to": 24}},
    },
}
