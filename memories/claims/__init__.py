"""Claim comparison: whether two statements say the same.

Statements are sets of tokens, some of which must not differ.
"""

from memories.claims.claim import (
    ALIKE_FROM,
    SAME_FROM,
    Claim,
    as_lists,
    fingerprint,
    from_lists,
    jaccard,
    kin,
    prefix,
    sealed,
)
from memories.claims.comparing import Likeness, compare, may_be_same, share_identifier
from memories.claims.encodings import readings
from memories.claims.reading import NORMALISATION, claim_of
