"""How dates and times are written in each language of the pages (FORMAT_MODULE_PATH)."""
