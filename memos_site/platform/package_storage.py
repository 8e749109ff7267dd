"""The entry `skills` of Django's STORAGES: where packages of skills lie, by SKILLS_REPO_BACKEND."""

from pathlib import Path
from typing import Any

from memos_site.platform.env import ENV
from memos_site.platform.environment import Environment


def package_storage(data_dir: Path, env: Environment = ENV, backend: str = "") -> dict[str, Any]:
    """The chosen one, or another backend as the same environment sets it up."""
    name, options = {"LOCAL": _local, "S3": _s3, "OSS": _oss}[backend or env.SKILLS_REPO_BACKEND](env, data_dir)
    return {"BACKEND": name, "OPTIONS": options}


def directory_storage(location: Path) -> dict[str, Any]:
    return {"BACKEND": "skills.storages.local.LocalStorage", "OPTIONS": {"location": location.absolute()}}


def _local(env: Environment, data_dir: Path) -> tuple[str, dict[str, Any]]:
    location = (env.SKILLS_LOCAL_DIR or data_dir / "skills").absolute()
    return "skills.storages.local.LocalStorage", {"location": location}


def _s3(env: Environment, _data_dir: Path) -> tuple[str, dict[str, Any]]:
    """Where it lies and with which keys boto3 reads from its own variables (AWS_...) or files."""
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
