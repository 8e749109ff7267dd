"""Keys of memories that their callers do not choose: of competences and of imported episodes."""

import hashlib

from memories.values.field_types import LONGEST_KEY


def competence_key(skill_name: str | None) -> str | None:
    """The key of a competence, shortened: skill names made of tool names reach thousands of characters."""
    fits = skill_name is None or len(skill_name) <= LONGEST_KEY
    return skill_name if fits else f"skill:{hashlib.sha256(str(skill_name).encode()).hexdigest()}"


def episode_key(source: str, external_id: str | None) -> str | None:
    """The key of an imported episode: a hash, because callers' ids may contain private data."""
    if external_id is None:
        return None
    return f"episode:{hashlib.sha256(f'{source}/{external_id}'.encode()).hexdigest()}"
