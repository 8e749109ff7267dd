"""Pure learning functions: recorded runs in, a procedure for review out. No clock, no database."""
