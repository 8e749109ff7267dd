"""The bodies of this room's answers and requests, field by field, for the OpenAPI schema.

The property tests hold them equal to what `representations` gives; while the program runs nothing is validated by them.
"""
