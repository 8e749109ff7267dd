"""Counted facts: commands that start in a place, arguments and where they come from."""
