"""Write claims: stored by an agent, taught by a person, found by a rule. One transaction each."""

from memories.intake.claims.near_duplicates import (
    Near,
    NearDuplicate,
    Resemblance,
    alike_and_equal,
    compare_with,
    equals_and_near,
    equals_elsewhere,
    equals_of,
    held_equals,
    nearest,
    resemblance_of,
    resemblances_of,
)
from memories.intake.claims.storing import store
from memories.intake.claims.teaching import category_of, key_of, teach
from memories.intake.claims.writing import remember
from memories.intake.statements import Occasion, Statement, WriteResult
