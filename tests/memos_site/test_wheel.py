"""The wheel: one package that holds the server, the command `memos` and the client."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memos_site.api.openapi import document
from memos_site.launcher.client import AsyncMemos, Memos, MemosError
from tests.make import make_agent
from tests.memos_site import client_shapes
from tests.memos_site.processes import SOURCE


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    built = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(SOURCE)]
    subprocess.run([*pip, *built], check=True)
    folder = tmp_path / "installed"
    wheels = [str(path) for path in tmp_path.glob("*.whl")]
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder), *wheels], check=True)
    return folder


def memos(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    folder = installed.parent / "empty"
    folder.mkdir(exist_ok=True)
    known = {"PYTHONPATH": str(installed), "HOME": str(installed.parent), "PATH": "/usr/bin:/bin"}
    line = [sys.executable, "-m", "memos", *words]
    return subprocess.run(line, cwd=folder, env=known, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_wheel_holds_everything_in_one_package_and_runs_anywhere(installed: Path) -> None:
    names = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert names - {"bin"} == {"memos"}
    assert "serve        the server" in memos(installed).stdout
    assert memos(installed, "doctor").stdout.startswith("NOT no agent of this computer is connected")
    assert "--port" in memos(installed, "serve", "--help").stdout
    assert (installed / "memos" / "py.typed").exists()
    found = "from memos import Memos, AsyncMemos; print(Memos.__name__)"
    known = {"PYTHONPATH": str(installed)}
    ended = subprocess.run([sys.executable, "-c", found], env=known, capture_output=True, text=True, check=False)
    assert ended.stdout == "Memos\n", ended.stderr


def test_the_client_is_typed_with_what_the_openapi_document_says() -> None:
    made = client_shapes.source(document())
    assert client_shapes.FILE.read_text() == made, "run `python -m tests.memos_site.client_shapes`"
    assert (client_shapes.FILE.parent / "py.typed").exists()


@pytest.mark.django_db(transaction=True)
def test_the_client_stores_finds_and_says_what_is_refused(live_server: Any) -> None:
    token = make_agent()[1]
    with Memos(live_server.url, token) as client:
        fields: dict[str, str] = {"category": "fact", "source": "my-agent"}
        client.store("acme-terms", "Acme pays on net-30 terms", **fields)
        [found] = client.tool("memory_query", text="When does Acme pay?", include_candidates=True)["results"]
        assert found["content"] == "Acme pays on net-30 terms"
        assert len(client.search("When does Acme pay?", include_candidates=True)["results"]) == 1
        assert client.context("Write to Acme")["memory_status"] == "ok"
        assert client.tool("memory_get", key="acme-terms")["memory"]["key"] == "acme-terms"
        with pytest.raises(MemosError) as refused:
            client.store("k", "", **fields)
        assert (refused.value.status, refused.value.code) == (400, "invalid")

    async def ask() -> Any:
        async with AsyncMemos(live_server.url, token) as client:
            return await client.call("me")

    assert asyncio.run(ask())["permissions"]
