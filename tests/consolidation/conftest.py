"""What the tests of consolidation share."""

from collections.abc import Iterator

import pytest

from tests.model_endpoint import ModelEndpoint, listening


@pytest.fixture
def endpoint() -> Iterator[ModelEndpoint]:
    """A scripted language model that the settings name."""
    with listening() as endpoint, endpoint.configured():
        yield endpoint
