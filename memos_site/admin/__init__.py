"""Admin pages of the site: memories with their review actions, users and groups, jobs and sign-ins."""

from memos_site.admin import decisions, jobs, people

__all__ = ["decisions", "jobs", "people"]
