"""Where in the whole database a word stands: every column of every table, as a dump would hold it."""

from django.db import connection

TABLES = "SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public'"


def tables_with(word: str) -> set[str]:
    """Text, JSON, arrays, search vectors; bytes are looked at as what they spell."""
    with connection.cursor() as cursor:
        cursor.execute(f"{TABLES} AND table_type = 'BASE TABLE'")
        names = [name for (name,) in cursor.fetchall()]
        found = set()
        for name in names:
            wanted = [f"%{word}%", f"%{word.encode().hex()}%"]
            cursor.execute(f"SELECT 1 FROM {name} AS row WHERE row::text ILIKE ANY (%s) LIMIT 1", [wanted])
            if cursor.fetchone():
                found.add(name)
    return found
