"""The bare view that the benchmark `http` compares with, and the URLs of its site."""

from typing import Any
from uuid import uuid4

from django.db import models
from django.urls import path
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class Row(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4)
    source = models.TextField()
    body = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        app_label = "bare"
        db_table = "bare_row"

    def __str__(self) -> str:
        return str(self.id)


class Insert(APIView):
    authentication_classes = []
    permission_classes = []
    throttle_classes = []

    def post(self, request: Request) -> Response:
        body: Any = request.data
        row = Row._default_manager.create(source=body["source"], body=body)
        return Response({"id": row.pk, "created_at": row.created_at, **body}, status=201)


urlpatterns = [path("rows", Insert.as_view())]
