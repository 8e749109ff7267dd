"""Patterns of orders to a model: a tuple a class of orders, in it by language.

Every repetition is bounded, because the texts come from an attacker. A pattern describes a class of sentences, not one
sentence; what would also match ordinary rules of work is left out, and `tests/benchmarks/false_alarms.py` counts that.
"""
