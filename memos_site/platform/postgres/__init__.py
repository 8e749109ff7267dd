"""The embedded PostgreSQL, and the database backend (`ENGINE = "memos_site.platform.postgres"`) that starts it.

Three parties, one rule. Whoever uses the server holds a shared flock(2) on `run/users` for as long as it lives. The
server's keeper, a small process of its own, waits for that lock alone: when it gets it, nobody uses the server, and it
stops it. The kernel releases a lock however a process dies, so there is nothing to count, and nothing to leave dirty.
"""
