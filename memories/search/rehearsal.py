"""One search before anybody asks: what a process builds in its first one is built before others are forked from it.

Texts of half floats, statements, expressions: 0.1 s of processor time, which each web process took for itself.
"""

import logging
from datetime import datetime

from django.db import DatabaseError, connection, transaction

from memories import embedding
from memories.models import EmbeddingModel
from memories.models.vector import halfvec_text
from memories.search.request import SearchRequest
from memories.search.run import find
from memories.search.warming import SOME_SCOPES
from memories.values.trust import everything

MOST_MILLISECONDS = 2_000  # of each statement: nobody may wait long for a start
SAID = "what is known"  # in an empty store
log = logging.getLogger("memos.search")


def rehearse(*, at: datetime) -> None:
    """Search the newest passage's scope for its words. Counts no use; leaves a connection open.

    Where an endpoint's model serves nothing is searched: what was said is sent to no endpoint for this.
    """
    halfvec_text([0.0])
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(MOST_MILLISECONDS)])
            if EmbeddingModel.objects.serving() == embedding.built_in().name:
                cursor.execute(SOME_SCOPES, [1, 1])  # of the newest passage
                scope, text = cursor.fetchone() or ("", SAID)
                find(SearchRequest.model_validate({"query": text, "scopes": [scope]}), trust=everything(), at=at)
    except DatabaseError as problem:
        log.warning("no search could be made before the first one that is asked for: %s", problem)
