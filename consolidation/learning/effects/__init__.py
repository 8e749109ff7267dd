"""Which tools and commands change something, and whether a command started."""
