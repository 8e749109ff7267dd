"""Figures over time: counted by day in a job (`day_counts`), shown as charts (`charts`)."""
