"""First paint of pages in a browser, in a store of many memories.

    .venv/bin/python -m tests.benchmarks.first_paint --rows 100000

One JSON line a page: the median and the slowest first contentful paint since the navigation began, and the time to the
first byte within it. The pages are served as by `manage.py serve`, in this process; style sheets and scripts come from
the browser's cache after the first visit. `--keep DIR` as in `pages`.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from tests.benchmarks.store import empty_store, show

PAGES = {"inbox": "/", "memories": "/memories/", "skills": "/skills/"}
PAINT = """() => new Promise(done => new PerformanceObserver(list => {
  const paint = list.getEntriesByName("first-contentful-paint")[0];
  if (paint) done([paint.startTime, performance.getEntriesByType("navigation")[0].responseStart]);
}).observe({type: "paint", buffered: true}))"""


@contextmanager
def served() -> Iterator[str]:
    from waitress.server import create_server

    from memos_site.wsgi import application

    server = create_server(application, host="127.0.0.1", port=0, threads=4)
    Thread(target=server.run, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        server.close()


def visits(rounds: int) -> None:
    from django.test import Client
    from playwright.sync_api import sync_playwright

    from tests.benchmarks.pages import bench_reviewer
    from tests.browser.chromium import launch

    reader = Client()
    reader.force_login(bench_reviewer())
    session = reader.cookies["sessionid"].value
    with served() as address, sync_playwright() as playwright:
        context = launch(playwright).new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        page = context.new_page()
        for name, path in PAGES.items():
            took = []
            for _ in range(rounds + 1):
                page.goto(address + path)
                took.append(page.evaluate(PAINT))
            first, later = took[0], sorted(took[1:])
            paint, byte = later[len(later) // 2]
            facts = {"first": round(first[0]), "most": round(later[-1][0]), "first_byte": round(byte)}
            show(f"{name}, first paint", paint, "ms", **facts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with empty_store(given.keep):
        from memories.models import Memory
        from tests.benchmarks.filled_knowledge import fill

        if not Memory.objects.exists():
            fill(given.rows)
        visits(given.rounds)


if __name__ == "__main__":
    main()
