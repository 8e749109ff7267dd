"""The settings (environment.py) as the environment gives them.

A secret may also come as `NAME_FILE`, the path of a file that holds it. A wrong value never raises here: it is recorded
in `PROBLEMS`, the default is used instead, and a system check (memos_site.checks) prevents every start.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import ValidationError

from memos_site.platform.environment import SECRETS, Environment
from memos_site.platform.setting_types import upper

CHECK = "environment"  # the tag of the check of PROBLEMS, which comes before all else
NEEDED_WITH = {  # setting -> what it needs beside it
    "EMBEDDING_ENDPOINT": "EMBEDDING_MODEL",
    "DATABASE_POOLER": "DATABASE_URL",
    "DATABASE_REPLICA_URLS": "DATABASE_URL",
    "LLM_BASE_URL": "LLM_MODEL",
}
REQUIRED = {  # settings of a backend of packages
    "S3": ("SKILLS_S3_BUCKET",),
    "OSS": ("OSS_REGION", "OSS_BUCKET_NAME", "OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET"),
}

EMPTY_KEY = "restore it from a backup; or remove it, and everybody signs in anew"


def _raw(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    values = {name: environ[name] for name in Environment.model_fields if environ.get(name, "") != ""}
    problems = []
    for name in SECRETS:
        path = environ.get(f"{name}_FILE")
        if path and name not in values:
            try:
                values[name] = Path(path).read_text(encoding="utf-8").strip()
            except OSError as error:
                problems.append(f"{name}_FILE: cannot be read: {error.strerror}")
            except UnicodeDecodeError:
                problems.append(f"{name}_FILE: {path} is no text")
            else:
                if not values[name]:  # without a key of its own each host would make one
                    problems.append(f"{name}_FILE: {path} is empty")
    return values, problems


def read(environ: Mapping[str, str]) -> tuple[Environment, list[str]]:
    """The values of the environment, and a sentence for each wrong one, which is replaced by its default."""
    values, problems = _raw(environ)
    backend = upper(values.get("SKILLS_REPO_BACKEND", ""))
    missing_names = (name for name in REQUIRED.get(backend, ()) if name not in values)
    problems += [f"{name}: is required with SKILLS_REPO_BACKEND={backend}" for name in missing_names]
    for name, other_name in NEEDED_WITH.items():
        if name in values and other_name not in values:
            problems.append(f"{other_name}: is required with {name}")
    try:
        return Environment.model_validate(values), problems
    except ValidationError as error:
        problems += _sentences(error, values)
        wrong_names = {detail["loc"][0] for detail in error.errors()}
        return Environment.model_validate({name: values[name] for name in values.keys() - wrong_names}), problems


def _sentences(error: ValidationError, values: Mapping[str, str]) -> list[str]:
    """A sentence for each wrong value. One that may be of several types has an error for each of them."""
    reasons: dict[str, list[str]] = {}
    for detail in error.errors():
        reasons.setdefault(str(detail["loc"][0]), []).append(detail["msg"].removeprefix("Value error, "))
    return [
        f"{name}: {', or: '.join(reasons[name])}" + ("" if name in SECRETS else f" (got {values[name]!r})")
        for name in reasons
    ]


def private_directory(data_dir: Path) -> Path:
    """Create the data directory with mode 0700, or set that mode where an older version created it with another.

    A directory that also holds foreign files (/tmp, say) stays as it is. Never raises.
    """
    with contextlib.suppress(OSError):  # reported by `secret_key`, or by the first write
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = data_dir.stat()
        marks = (data_dir / "secret_key", data_dir / "postgres" / "PG_VERSION")
        is_ours = any(mark.exists() for mark in marks) or not any(data_dir.iterdir())
        if is_ours and status.st_uid == os.geteuid() and status.st_mode & 0o077 and not status.st_mode & stat.S_ISVTX:
            data_dir.chmod(0o700)
    return data_dir


def secret_key(data_dir: Path) -> str:
    """The key in `data_dir/secret_key` (0600), created on first use; concurrent processes get the same one.

    Where nothing can be written it is a temporary key, and PROBLEMS says why, which prevents every start.
    """
    try:
        if key := _stored_key(data_dir):
            return key
        PROBLEMS.append(f"MEMOS_DATA_DIR: {data_dir / 'secret_key'} is empty: {EMPTY_KEY}")
    except OSError as error:
        PROBLEMS.append(f"MEMOS_DATA_DIR: {data_dir} cannot be written to: {error.strerror}")
    return secrets.token_urlsafe(50)


def _stored_key(data_dir: Path) -> str:
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", encoding="ascii", dir=data_dir, prefix=".secret_key-"
        ) as draft:  # created with mode 0600
            draft.write(secrets.token_urlsafe(50))
            draft.flush()
            os.fsync(draft.fileno())  # a machine that loses its power keeps no name of an empty file
            with contextlib.suppress(FileExistsError):  # a link is atomic: nobody reads half a key
                path.hardlink_to(draft.name)
    return path.read_text(encoding="ascii")


ENV, PROBLEMS = read(os.environ)
