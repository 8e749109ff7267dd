"""Policies: conditions on a call that a language model reads in the instructions that runs carry, once for each text.

Only what an operator told the agent is read, its system messages and the descriptions of its tools, never what a user
or a tool said. `policy_reading.py` is a step of reading a conversation; what it keeps waits for a person.
"""
