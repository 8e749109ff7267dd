"""What the tests of consolidation share."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.consolidation.webhook_server import Receiver, receiving
from tests.model_endpoint import ModelEndpoint, listening


@pytest.fixture
def endpoint() -> Iterator[ModelEndpoint]:
    """A scripted language model that the settings name."""
    with listening() as endpoint, endpoint.configured():
        yield endpoint


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A server on this machine to which webhooks may be sent."""
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        yield receiver
