"""Claim comparison: whether two statements say the same.

Statements are sets of tokens, some of which must not differ. The way of a text to a claim:

    lookalikes.py, leet.py, obfuscation.py                  disguised letters read as plain ones, for scans too
    pieces.py, words.py, chinese.py     words, numbers and marks; Chinese without a segmenter
    measuring.py, quantities.py         amounts and dates, spelled or in digits, in one unit; the tables of units
    relating.py, objects.py             negations, comparisons, who acts on whom, the object of a verb
    distinctions.py, qualifiers.py, marks.py    what tells statements of the same words apart: always, must, if
    reading.py                          all of this: a text to a Claim (claim.py)
    comparing.py                        two claims: same, reworded, changed or other

`named_things.py` tells who or what a claim is about.
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
    sealed_tokens,
)
from memories.claims.comparing import Likeness, compare, may_be_same, share_identifier
from memories.claims.obfuscation import readings
from memories.claims.reading import NORMALISATION, claim_of
