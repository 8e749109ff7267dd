"""The admin: operators see every row that they may see, and change only what has no verb."""

from memories.admin import agents, records

__all__ = ["agents", "records"]
