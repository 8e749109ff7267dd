"""Explicit statements: sentences by which a user asks an agent to keep something."""
