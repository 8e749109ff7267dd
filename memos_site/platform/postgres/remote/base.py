"""Django's PostgreSQL backend, which knows what became of a commit whose answer was lost."""

from memos_site.platform.postgres.commits import AskedAgain


class DatabaseWrapper(AskedAgain):
    pass
