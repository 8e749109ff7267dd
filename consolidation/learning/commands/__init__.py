"""Command lines as kinds of commands. Nothing is run."""
