"""A store of its own for a benchmark: an empty embedded database in a directory that is removed afterwards."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def empty_store(data_dir: Path | None = None) -> Iterator[Path]:
    """Sets Django up for it: import what needs Django only inside. A given directory stays, with what is in it."""
    folder = data_dir or Path(tempfile.mkdtemp(prefix="memos-bench-"))
    os.environ |= {"MEMOS_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "memos_site.settings"}
    import django

    django.setup()
    from django.core.management import call_command

    from memos_site.platform.postgres.server import Server

    call_command("migrate", verbosity=0)
    try:
        yield folder
    finally:
        Server(folder).stop()
        if data_dir is None:
            shutil.rmtree(folder)


def show(figure: str, value: float, unit: str, **more: Any) -> None:
    """One JSON line; the machine's load stands beside it."""
    load = round(os.getloadavg()[0], 1)
    line = {"figure": figure, "value": round(value, 4), "unit": unit, **more, "load": load}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
