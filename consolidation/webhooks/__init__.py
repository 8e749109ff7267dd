"""Webhooks: what happens here is written into an outbox, from which signed messages are sent to allowed addresses."""
