"""A recorded run: messages, calls, values, errors and terms, and what of them may be repeated."""
