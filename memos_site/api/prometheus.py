"""GET /metrics: what the processes of this host counted, and the state of the store, in Prometheus' text format."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import OperationalError
from django.db.models import Count, Min, Sum
from django.http import HttpResponse
from django.utils import timezone
from django_q.models import OrmQ
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from rest_framework.request import Request

from consolidation.models import LLMCall, Run
from memories import leases, metrics
from memories.api.base import ApiView, FileNegotiation
from memories.metrics.sampling import few_seconds
from memories.models import Pending
from memories.values.choices import Permission
from memories.values.exceptions import NotAllowed
from memories.values.trust import Trust
from memos_site import review
from memos_site.platform import measures
from memos_site.platform.postgres import replicas

DAY = timedelta(days=1)
log = logging.getLogger("memos.metrics")


class Prometheus(ApiView):
    """For a token with the permission to read in every scope.

    Rows of the store are counted within its clearance. Requests, jobs and lag are those of the whole installation.
    """

    needs = {"GET": (Permission.READ,)}
    content_negotiation_class = FileNegotiation
    schema = None  # described by Prometheus

    def get(self, request: Request) -> HttpResponse:
        if self.trust.scopes is not None:
            raise NotAllowed("these figures are of all scopes: they need a token that is confined to none")
        state = CollectorRegistry()
        state.register(_State(self.trust, timezone.now()))
        text = generate_latest(measures.registry_of_host()) + generate_latest(state)
        return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


class _State(Collector):
    """Read from the database at every scrape: every host tells the same."""

    def __init__(self, trust: Trust, at: datetime) -> None:
        self.trust, self.at = trust, at

    def describe(self) -> list[Metric]:
        """Nothing: a registry would ask the database to learn the names."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Without the families that cannot be counted in time: the others are told."""
        for part in (self._queue, self._runs, self._waiting_gauges, self._dismissals, self._tokens):
            try:
                with few_seconds():
                    families = list(part())
            except OperationalError as error:
                log.warning("figures left out of /metrics: %s", error)
                continue
            yield from families
        lags = [(replica.name, lag) for replica, lag in replicas.lags()]
        yield _labelled_gauge("memos_replica_lag_seconds", "Behind the primary; +Inf: not reached", ["replica"], lags)

    def _runs(self) -> Iterator[Metric]:
        yield _gauge("memos_workers_alive", "1 while any worker takes jobs", int(leases.a_worker_lives()))
        runs = Run.objects.visible_to(self.trust).order_by().values_list("kind", "status").annotate(n=Count("pk"))
        yield _labelled_gauge("memos_runs", "Background runs that are kept", ["kind", "status"], runs)

    def _waiting_gauges(self) -> Iterator[Metric]:
        waits = review.kinds(self.trust, at=self.at)
        yield _labelled_gauge("memos_inbox_items", "What waits for a person", ["kind"], waits.items())
        oldest = metrics.inbox(self.trust, at=self.at)["oldest_at"]
        yield _gauge("memos_inbox_oldest_seconds", "Age of what waits longest", self._age(oldest))

    def _dismissals(self) -> Iterator[Metric]:
        hits = metrics.dismissals(self.trust, at=self.at)["tombstones"]["hits"]
        yield _gauge("memos_tombstone_hits", "How often a dismissal kept something from coming back", hits)

    def _queue(self) -> Iterator[Metric]:
        if not settings.Q_CLUSTER.get("broker_class"):  # a Redis tells of its own queue
            due = OrmQ.objects.filter(lock__lte=self.at).aggregate(n=Count("pk"), oldest=Min("lock"))
            yield _gauge("memos_jobs_queued", "Jobs that no worker has taken", due["n"])
            yield _gauge("memos_jobs_oldest_seconds", "How long the oldest of them waits", self._age(due["oldest"]))
        yield _gauge(
            "memos_passages_pending", "Passages that wait for a vector", Pending.objects.visible_to(self.trust).count()
        )

    def _tokens(self) -> Iterator[Metric]:
        calls = LLMCall.objects.visible_to(self.trust).filter(at__gt=self.at - DAY)
        rows = (
            calls.order_by()
            .values_list("model", "ok")
            .annotate(n=Count("pk"), used=Sum("tokens_in") + Sum("tokens_out"))
        )
        call_rows = [(model, "ok" if ok else "failed", n) for model, ok, n, _ in rows]
        token_rows = [(model, "ok" if ok else "failed", tokens) for model, ok, _, tokens in rows]
        yield _labelled_gauge(
            "memos_model_calls_last_day", "Calls of the language model", ["model", "ended"], call_rows
        )
        yield _labelled_gauge("memos_model_tokens_last_day", "Tokens in and out", ["model", "ended"], token_rows)

    def _age(self, moment: datetime | None) -> float:
        return max(0.0, (self.at - moment).total_seconds()) if moment else 0.0


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help_text, value=value)


def _labelled_gauge(name: str, help_text: str, labels: list[str], rows: Any) -> Metric:
    """`rows`: the values of the labels, and the figure last."""
    family = GaugeMetricFamily(name, help_text, labels=labels)
    for *values, figure in rows:
        family.add_metric([str(value) for value in values], figure)
    return family
