"""The runs of one pattern beside the other runs of their scope. Counts, no causes."""
