"""What the web processes do not load: libraries that few installations need, and migrations; each of many megabytes."""

import json
import subprocess
import sys
from pathlib import Path

from tests.memos_site.processes import SOURCE, environment

SELDOM = {
    "pypinyin",
    "bandit",
    "boto3",
    "oss2",
    "openai",
    "httpx",
    "httpx2",
    "opentelemetry.sdk",
    "redis",
    "migrations",
}
LOADED = """
import json, sys
import django
django.setup()
from django.urls import get_resolver
assert get_resolver().url_patterns
from memos_site.management.commands import serve
from memos_site.web import health
assert health.schema_is_current() == "pending"
inner = {"opentelemetry.sdk"} & sys.modules.keys()
tops = {name.partition(".")[0] for name in sys.modules} | inner
print(json.dumps(sorted(tops | {"migrations" for name in sys.modules if ".migrations.0" in name})))
"""


def test_what_is_seldom_needed_is_not_loaded_with_the_views(tmp_path: Path) -> None:
    more = {"DJANGO_SETTINGS_MODULE": "memos_site.settings"}
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(
        command, env=environment(tmp_path, **more), cwd=SOURCE, capture_output=True, text=True, check=True
    )
    assert not SELDOM & set(json.loads(done.stdout.splitlines()[-1]))
