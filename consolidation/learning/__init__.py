"""What recorded runs teach: from calls and messages to a procedure that a person can judge. No clock, no store."""
