"""Admin pages of the site: users and groups, jobs and sign-ins, webhooks."""

from memos_site.admin import jobs, people, webhooks
