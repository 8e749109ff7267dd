"""The embedded PostgreSQL, and the database backend (`ENGINE = "memos_site.platform.postgres"`) that starts it.

Every process that uses the server holds a shared flock(2) on `run/users` as long as it lives. The server's keeper, a
small process of its own, waits for that lock exclusively: when it gets it, nobody uses the server, and the keeper stops
it. The kernel releases locks however a process dies, so there is no counter that could become wrong.
"""
