"""The web server: waitress, with limits on the time, size and number of unfinished requests.

One thread of each process reads all connections; a request gets one of the worker threads only when it has come whole.
Errors of the server itself are problem details (RFC 9457) under /api/.
"""
