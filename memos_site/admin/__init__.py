"""The operators' hall: what the desk decides, who signs in, and what the worker does."""

from memos_site.admin import decisions, jobs, people

__all__ = ["decisions", "jobs", "people"]
