"""Admin pages of the site: memories with their review actions, users and groups, jobs and sign-ins, webhooks."""

from memos_site.admin import decisions, operators, webhooks
