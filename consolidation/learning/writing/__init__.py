"""The text of a learned skill, from counts, in English or Chinese."""
