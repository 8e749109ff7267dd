"""Lines of a skill that the language model writes by comparing a success and a failure of one case."""
