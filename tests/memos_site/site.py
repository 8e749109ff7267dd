"""A running `manage.py serve` (or another command) with its own data directory, and what the tests do to it."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
from django.conf import settings
from django_q.brokers import Broker
from django_q.tasks import async_task

from memos_site.platform.postgres.cluster import NAME, PORT, USER
from memos_site.platform.postgres.server import Server
from tests.memos_site.processes import PATIENCE, SOURCE, belonging, environment, nobody_left, sql, until

QUEUE = "memos"
ENQUEUE = "INSERT INTO django_q_ormq (key, payload, lock) VALUES (%s, %s, now()) RETURNING id"


class Site:
    def __init__(self, data_dir: Path, *command: str, **more: str) -> None:
        self.data_dir, self.trace, self.log = data_dir, data_dir / "trace", data_dir / "log"
        self.rows: list[int] = []
        told = {"DJANGO_SETTINGS_MODULE": "tests.memos_site.quick", "SECRET_KEY": settings.SECRET_KEY} | more
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", *command],
                cwd=SOURCE,
                env=environment(data_dir, **told),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    def up(self) -> "Site":
        """Waits until it says where it is; fails with its log when it ends instead."""
        until(lambda: "Memos runs at" in self.said or self.process.poll() is not None)
        assert self.process.poll() is None, self.said
        self.url = re.findall(r"Memos runs at (\S+)", self.said)[-1]
        until(lambda: self.health().get("worker") == "ok")
        return self

    @property
    def token(self) -> str:
        """Of the agent that the first start made."""
        [token] = re.findall(r"^agent token +(\S+)", (self.data_dir / "first-start").read_text(), re.MULTILINE)
        return str(token)

    def health(self, path: str = "/health/ready") -> dict[str, str]:
        try:
            with urlopen(self.url + path, timeout=PATIENCE) as answer:
                return dict(json.load(answer))
        except HTTPError as refusal:
            with refusal:
                return {"code": str(refusal.code), **json.load(refusal)}

    def enqueue(self, task: str, word: str, **options: int) -> int:
        """Returns the id of the job's row in the queue, which is kept in `rows` too."""
        name, queue = f"tests.memos_site.work.{task}", Queue(self.data_dir)
        async_task(name, str(self.trace), word, broker=queue, **options)  # type: ignore[no-untyped-call]
        self.rows.append(queue.row)
        return queue.row

    def left(self) -> int:
        """How many of the jobs that were put into the queue here are not done. Those of the schedule do not count."""
        [[left]] = sql(self.data_dir, f"SELECT count(*) FROM django_q_ormq WHERE id = ANY(ARRAY{self.rows})")
        return int(str(left))

    def deliver_again(self) -> None:
        """Those that are not done come again, as they do after `retry`."""
        sql(self.data_dir, f"UPDATE django_q_ormq SET lock = now() WHERE id = ANY(ARRAY{self.rows})")

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self.trace.read_text().splitlines()] if self.trace.exists() else []

    def words(self) -> list[str]:
        return [line[0] for line in self.lines()]

    def who(self, word: str) -> tuple[int, int]:
        """The worker that noted this word last, and the worker's parent; waits for it."""
        until(lambda: word in self.words(), what=f"{word} in {self.said}")
        _, worker, parent = [line for line in self.lines() if line[0] == word][-1]
        return int(worker), int(parent)

    def release(self) -> None:
        self.trace.with_name("go").touch()

    def signal(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def stop(self) -> None:
        assert self.signal(signal.SIGTERM) == 0, self.said
        until(lambda: nobody_left(self.data_dir), what=f"the end of {belonging(self.data_dir)}")


class Queue(Broker):
    """Puts tasks into the queue of another data directory."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir, self.list_key = data_dir, QUEUE

    def enqueue(self, task: str) -> int:
        host = Server(self.data_dir).host()
        with psycopg.connect(host=host, port=PORT, user=USER, dbname=NAME) as connection:
            row = connection.execute(ENQUEUE, [self.list_key, task]).fetchone()
        assert row
        self.row = int(row[0])
        return self.row
