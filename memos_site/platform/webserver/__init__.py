"""The web server: waitress, with limits on what an unfinished request may take, in time, size and number.

One thread of each process reads all connections; a request gets one of the worker threads only when it has come whole.
Errors of the server itself are problem details (RFC 9457) under /api/.
"""
