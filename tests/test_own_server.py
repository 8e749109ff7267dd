"""Each worker of the tests has a server of its own, a copy of the cluster that waits for no disk."""

import os

import pytest
from django.conf import settings
from django.db import connection


@pytest.mark.django_db
@pytest.mark.skipif(not settings.EMBEDDED, reason="the tests run on an external server")
def test_the_server_is_in_the_directory_of_this_process_and_does_not_wait_for_the_disk() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('data_directory'), current_setting('fsync')")
        assert cursor.fetchone() == (f"{os.environ['MEMOS_DATA_DIR']}/postgres", "off")
