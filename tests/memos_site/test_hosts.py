"""Several hosts: packages in a local directory are refused where another host could not see them."""

from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import pytest
from django.core.checks import Tags, run_checks
from django.core.management.base import CommandError

from memories import leases
from memos_site.management.commands.serve import check_database
from memos_site.platform import process_identity

pytestmark = pytest.mark.django_db
OTHER = "11111111-2222-3333-4444-555555555555"


def beat(*, node: str | None = None, boot: str | None = None) -> None:
    """A worker shows itself, here or on a host of this name and boot."""
    place = f"{boot or process_identity.boot()}:pid:[1]"
    named = patch("platform.node", return_value=node) if node else nullcontext()
    with named, patch.object(process_identity, "identity", lambda: f"{place}/7/7"):
        leases.Heartbeat()()


def errors() -> list[str]:
    return [one.msg for one in run_checks(tags=[Tags.database], databases=["default"]) if one.is_serious()]


def test_a_second_host_is_refused_while_packages_lie_in_a_local_directory() -> None:
    beat(node="web-2", boot=OTHER)
    assert leases.other_hosts() == {"web-2"}
    assert "web-2" in errors()[0]
    with pytest.raises(CommandError, match="SKILLS_REPO_BACKEND"):
        check_database()


def test_a_second_host_may_start_where_packages_lie_in_a_bucket(settings: Any) -> None:
    beat(node="web-2", boot=OTHER)
    backend = "skills.storages.s3.S3PackageStorage"
    settings.STORAGES = settings.STORAGES | {"skills": {"BACKEND": backend, "OPTIONS": {"bucket_name": "team"}}}
    assert errors() == []


def test_containers_of_one_host_and_a_host_that_was_started_again_are_no_second_host() -> None:
    beat(node="container-2")
    beat(boot=OTHER)
    assert errors() == []


def test_a_host_that_has_stopped_is_forgotten() -> None:
    with patch.object(leases, "SECONDS", -1.0):
        beat(node="web-2", boot=OTHER)
    assert errors() == []
