"""Django's backend for a PostgreSQL of one's own (DATABASE_URL)."""
