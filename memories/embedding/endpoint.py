"""Embedder for any HTTP endpoint compatible with OpenAI's /embeddings."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import httpx
import numpy as np

from memories.embedding.interface import Array, Refused, Unavailable, normalised
from memos_site.platform import tracing

MOST_TEXTS, MOST_CHARACTERS = 64, 60_000  # limits of one request
LONGEST_ANSWER = 64 * 1024 * 1024
LONGEST_WHY = 300
ABOUT_THE_TEXTS = (400, 413, 422)


@lru_cache(maxsize=1)
def _client(pid: int) -> httpx.Client:
    """The HTTP client of a process: connections are kept between calls, and must not be shared with a fork."""
    return httpx.Client(follow_redirects=False)


@dataclass(frozen=True)
class Endpoint:
    """Embedder over HTTP. `expected_dimensions` are requested and enforced; 0: those of the model."""

    url: str
    model: str
    expected_dimensions: int = 0
    key: str = field(default="", repr=False)

    near_duplicate_threshold = 0.85  # similarity centred on the mean of stored vectors
    mean = None
    external = True

    @property
    def name(self) -> str:
        """The identity of the vectors: the same model with other dimensions is another one."""
        return f"{self.model}@{self.expected_dimensions}" if self.expected_dimensions else self.model

    @property
    def dimensions(self) -> int:
        return self.expected_dimensions

    def embed(self, texts: Sequence[str], *, patience: float = 30.0) -> list[Array | None]:
        deadline = time.monotonic() + patience
        vectors: list[Array | None] = [None] * len(texts)
        for batch in _batches(texts):
            answer = self._ask([texts[index] for index in batch], deadline)
            for index, vector in zip(batch, self._vectors(answer, len(batch)), strict=True):
                vectors[index] = vector
        return vectors

    def _ask(self, texts: list[str], deadline: float) -> Any:
        body: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self.expected_dimensions:
            body["dimensions"] = self.expected_dimensions
        try:
            facts = {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": self.model}
            with tracing.span(f"embeddings {self.model}", facts, kind="CLIENT"):
                status, text = self._send(body, deadline)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unavailable(self._sentence(f"cannot be reached: {error or type(error).__name__}")) from None
        if status != httpx.codes.OK:
            kind = Refused if status in ABOUT_THE_TEXTS else Unavailable
            raise kind(self._sentence(f"answered {status}: {text.decode(errors='replace')}"))
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise Unavailable(self._sentence("answered something that is not JSON")) from None

    def _send(self, body: dict[str, Any], deadline: float) -> tuple[int, bytes]:
        """Send one request with a deadline for the whole answer, also where it arrives slowly byte by byte."""
        seconds_left = max(0.05, deadline - time.monotonic())
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        timeout = httpx.Timeout(seconds_left, connect=min(seconds_left, 5.0))
        client, content = _client(os.getpid()), bytearray()
        with client.stream("POST", self._address, json=body, headers=headers, timeout=timeout) as answer:
            for chunk in answer.iter_bytes():
                content += chunk
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("took too long to answer")
                if len(content) > LONGEST_ANSWER:
                    raise httpx.ReadError("the answer is too large")
            return answer.status_code, bytes(content)

    @property
    def _address(self) -> str:
        base = self.url.rstrip("/")
        return base if base.endswith("/embeddings") else f"{base}/embeddings"

    def _vectors(self, answer: Any, count: int) -> Iterator[Array | None]:
        """Yield vectors in the order of the texts, which is that of `index`, not of the list."""
        rows = answer.get("data") if isinstance(answer, dict) else None
        try:
            by_index = {int(row["index"]): row["embedding"] for row in rows or []}
            vectors = np.array([by_index[index] for index in range(count)], dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            raise Unavailable(self._sentence(f"did not answer with {count} vectors of one size")) from None
        size = vectors.shape[1] if vectors.ndim == 2 else 0
        if size == 0:
            raise Unavailable(self._sentence("gives vectors without numbers"))
        if self.expected_dimensions and size != self.expected_dimensions:
            sizes = f"{self.expected_dimensions} were wanted (EMBEDDING_DIMENSIONS)"
            raise Unavailable(self._sentence(f"gives vectors of {size} dimensions, {sizes}"))
        if not np.isfinite(vectors).all():
            raise Unavailable(self._sentence("gives vectors that hold no numbers"))
        return (normalised(vector) for vector in vectors)

    def _sentence(self, fault: str) -> str:
        sentence = f"the embedding endpoint {fault}"
        return (sentence.replace(self.key, "***") if self.key else sentence)[:LONGEST_WHY]


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the positions of the texts of each request. Blank texts are not sent: endpoints refuse them."""
    batch: list[int] = []
    size = 0
    for index, text in enumerate(texts):
        if not text.strip():
            continue
        if batch and (len(batch) == MOST_TEXTS or size + len(text) > MOST_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(index)
        size += len(text)
    if batch:
        yield batch
