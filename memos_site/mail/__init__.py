"""Mails to people: digests of what waits, changed and fails, and alerts; sent by a job, never within a request."""
