"""Packs: what an experienced agent knows as one file, brought into another scope or store for people to decide on."""
