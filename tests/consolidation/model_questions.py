"""Questions to a model that a test has scripted, without waiting."""

import json
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from consolidation import llm
from consolidation.llm import LanguageModel
from consolidation.models import LLMCall
from memories.values.choices import Sensitivity
from tests.make import AT

GOOD = json.dumps({"city": "Oslo", "nights": 3})


class Trip(BaseModel):
    city: str
    nights: int


class Waits:
    """Sleep without time: the clock moves by what was slept."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)

    def clock(self) -> float:
        return sum(self.waited)


def model(waits: Waits | None = None, *, timeout: float | None = None, **changes: Any) -> LanguageModel:
    waits = waits or Waits()
    plain = llm.language_model()
    way = replace(plain.endpoint, timeout=timeout) if timeout else plain.endpoint
    return replace(
        plain, endpoint=way, sleep=waits.sleep, clock=waits.clock, jitter=lambda: 0.5, now=lambda: AT, **changes
    )


def ask(asked: LanguageModel, text: str = "Three nights in Oslo.", **fields: Any) -> Trip:
    plain: Any = {"purpose": "trip", "system": "Where to?", "text": text, "sensitivity": Sensitivity.LOW}
    return asked.ask(Trip, **{**plain, **fields})


def ledger() -> list[tuple[bool, str]]:
    return list(LLMCall.objects.order_by("pk").values_list("ok", "error"))
