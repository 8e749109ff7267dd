"""The database backend for an external PostgreSQL (DATABASE_URL)."""
