"""Matrices are multiplied in the thread that asks for it, unless an operator says otherwise."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
LOADED = """
import memos_site.settings, numpy, os
print(os.environ["OPENBLAS_NUM_THREADS"], *os.listdir("/proc/self/task"))
"""


def loaded(data_dir: Path, **variables: str) -> list[str]:
    """What the variable says once numpy is there, and the threads of the process."""
    kept = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    here = kept | {"MEMOS_DATA_DIR": str(data_dir)} | variables
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=PROJECT, env=here, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_numpy_starts_no_threads(tmp_path: Path) -> None:
    value, *threads = loaded(tmp_path)
    assert (value, len(threads)) == ("1", 1)


def test_an_operator_may_say_how_many(tmp_path: Path) -> None:
    assert loaded(tmp_path, OPENBLAS_NUM_THREADS="2")[0] == "2"
