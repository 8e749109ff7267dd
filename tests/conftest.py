"""The tests' own data directory, and with it their own embedded PostgreSQL: nothing they do touches `var/`.

Settings are read when Django is set up, so the directory is named before that, as soon as pytest loads this file.
"""

import os
import shutil
import tempfile
from pathlib import Path

import django
import pytest

DATA_DIR = Path(tempfile.mkdtemp(prefix="memos-tests-"))
os.environ["MEMOS_DATA_DIR"] = str(DATA_DIR)
os.environ["DJANGO_SETTINGS_MODULE"] = "memos_site.settings"
django.setup()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    from memos_site.postgres.server import Server

    Server(DATA_DIR).stop()
    shutil.rmtree(DATA_DIR)
