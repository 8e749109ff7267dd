"""What callers send, checked and made ready. Stored by `intake/episodes/` and `intake/claims/`."""
