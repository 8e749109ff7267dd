"""Reading of single conversations by the language model, step by step."""
