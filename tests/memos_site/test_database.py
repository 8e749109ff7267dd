"""The embedded database does what the application asks of it."""

import pytest
from django.db import connection


@pytest.mark.django_db
def test_the_vector_extension_can_be_created() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
        cursor.execute("SELECT '[1,2,3]'::vector <=> '[1,2,3]'::vector, version()")
        distance, version = cursor.fetchone()
    assert distance == 0
    assert version.startswith("PostgreSQL 18")
