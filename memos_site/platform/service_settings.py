"""What settings of services become for Django: where packages of skills lie (the entry `skills` of STORAGES, by
SKILLS_REPO_BACKEND), and the mail server that EMAIL_URL names."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from memos_site.platform.env import ENV
from memos_site.platform.environment import Environment


def package_storage(data_dir: Path, env: Environment = ENV, backend: str = "") -> dict[str, Any]:
    """The entry of STORAGES for the chosen backend, or for another one of the same environment."""
    name, options = {"LOCAL": _local, "S3": _s3, "OSS": _oss}[backend or env.SKILLS_REPO_BACKEND](env, data_dir)
    return {"BACKEND": name, "OPTIONS": options}


def directory_storage(location: Path) -> dict[str, Any]:
    return {"BACKEND": "skills.storages.local.LocalStorage", "OPTIONS": {"location": location.absolute()}}


def _local(env: Environment, data_dir: Path) -> tuple[str, dict[str, Any]]:
    location = (env.SKILLS_LOCAL_DIR or data_dir / "skills").absolute()
    return "skills.storages.local.LocalStorage", {"location": location}


def _s3(env: Environment, _data_dir: Path) -> tuple[str, dict[str, Any]]:
    """Region, keys and address are missing on purpose: boto3 reads them from its own variables (AWS_...) or files."""
    return "skills.storages.s3.S3PackageStorage", {
        "bucket_name": env.SKILLS_S3_BUCKET,
        "prefix": env.SKILLS_S3_PREFIX,
    }


def _oss(env: Environment, _data_dir: Path) -> tuple[str, dict[str, Any]]:
    return "skills.storages.oss.OSSPackageStorage", {
        "bucket_name": env.OSS_BUCKET_NAME,
        "prefix": env.SKILLS_OSS_DIR,
        "region": env.OSS_REGION,
        "endpoint": env.OSS_ENDPOINT or f"https://oss-{env.OSS_REGION}.aliyuncs.com",
        "access_key": env.OSS_ACCESS_KEY_ID,
        "secret_key": env.OSS_ACCESS_KEY_SECRET,
    }


CONSOLE = "django.core.mail.backends.console.EmailBackend"
SENDER = "Memos <memos@localhost>"
SECONDS = 10  # that each word of the server may take
SUBMISSION = 587  # the port on which a server takes mail of users, after STARTTLS


def mail_settings(url: str) -> dict[str, Any]:
    """Return the settings by name. `smtps` is TLS from the first byte; `smtp` asks for STARTTLS on port 587 alone.

    An empty url writes mails to the log.
    """
    if not url:
        return {"EMAIL_BACKEND": CONSOLE, "DEFAULT_FROM_EMAIL": SENDER}
    parts = urlsplit(url)
    secure = parts.scheme == "smtps"
    port = parts.port or (465 if secure else 25)
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": secure,
        "EMAIL_USE_TLS": port == SUBMISSION and not secure,
        "EMAIL_TIMEOUT": SECONDS,
        "DEFAULT_FROM_EMAIL": parse_qs(parts.query).get("from", [SENDER])[0],
    }
