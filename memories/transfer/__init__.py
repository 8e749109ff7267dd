"""Memories from other stores and back: importers of their files, and the export as JSON lines."""
