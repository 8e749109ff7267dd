"""GET metrics: figures of what the caller may see."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import metrics
from memories.api import operations_of_revision as operations
from memories.api.base import ApiView
from memories.api.described import described
from memories.values.choices import Permission


@described(operations.GET_METRICS)
class Metrics(ApiView):
    needs = {"GET": (Permission.READ,)}

    def get(self, request: Request) -> Response:
        return Response(metrics.collect(self.trust, at=timezone.now()))
