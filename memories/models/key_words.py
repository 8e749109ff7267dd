"""The words of keys, by which lists find them."""

import re

from django.contrib.postgres.search import SearchQuery, SearchVectorExact, SearchVectorField
from django.db.models import Func, Q

from memories.values.text import UNSPACED

WORD = re.compile(rf"{UNSPACED.pattern.removesuffix('+')}|[^\W_]+")


class KeyWords(Func):
    """The words of a key, separated by anything that is no letter or digit. Defined in SQL in a migration."""

    function = "memos_key_words"
    output_field = SearchVectorField()


def in_key(words: str, column: str = "key") -> Q:
    """Condition on a memory's key, or another column with an index of its words: it holds these one after the other,
    the last one perhaps only begun.
    """
    given = WORD.findall(words)
    if not given:
        return Q(pk__in=[])
    begun = "" if UNSPACED.match(given[-1]) else ":*"
    query = SearchQuery(" <-> ".join(given) + begun, search_type="raw", config="simple")
    return Q(**{f"{column}__isnull": False}) & Q(SearchVectorExact(KeyWords(column), query))
