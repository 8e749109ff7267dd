"""Whatever else is asked for under /api/: a problem, not a page."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.values.exceptions import NotFound


class Unknown(APIView):
    permission_classes = []
    schema = None  # part of no documentation

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NotFound

    def get(self, request: Request) -> Response:
        raise NotFound
