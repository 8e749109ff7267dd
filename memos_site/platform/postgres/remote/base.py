"""Django's PostgreSQL backend with verified commits."""

from memos_site.platform.postgres.verified_commits import VerifiedCommits


class DatabaseWrapper(VerifiedCommits):
    pass
