"""Memos for a Python agent: pip install httpx, copy this file. MEMOS_URL and MEMOS_TOKEN say where."""

import os
from typing import Any

import httpx


class Memos:
    """Any tool as a method: `memos.context(task="...")`, `memos.memory_store(...)`; GET tools lists them."""

    def __init__(self, url: str = "", token: str = "") -> None:
        base = url or os.environ.get("MEMOS_URL", "http://127.0.0.1:8000")
        headers = {"Authorization": f"Bearer {token or os.environ['MEMOS_TOKEN']}"}
        self.http = httpx.Client(base_url=f"{base}/api/v1/", headers=headers, timeout=10)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.http.post(f"tools/{tool}", json=arguments)
        if not answer.is_success:
            raise ValueError(f"{tool}: {answer.json()['detail'] if answer.is_error else 'a redirect: not followed'}")
        return dict(answer.json())

    def __getattr__(self, tool: str) -> Any:
        return lambda **arguments: self.call(tool, **arguments)


if __name__ == "__main__":
    memos = Memos()
    memos.memory_store(key="acme-terms", category="fact", content="Acme pays on net-30 terms", source="example")
    print(memos.memory_query(text="When does Acme pay?", include_candidates=True)["results"])
