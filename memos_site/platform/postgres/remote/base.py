"""Django's PostgreSQL backend with verified commits."""

from memos_site.platform.postgres.commits import VerifiedCommits


class DatabaseWrapper(VerifiedCommits):
    pass
