"""Scanning of incoming texts: orders to a model, credentials, hidden characters.

prompt_injection.py, orders/, ciphers.py    orders to a model, plain or disguised (letters: `claims/obfuscation.py`)
credentials.py      finds and masks them: by issuer (credential_kinds.py), by words beside (named_secrets.py), in
                    forms and commands (entered_secrets.py), in tables
secret_removal.py   takes them out of what agents send, before it is stored
masked_answers.py   masks them in what is answered, shown, mailed or exported
"""

from memories.scanning import ciphers, credentials, prompt_injection, secret_removal
from memories.values import invisible

SECRET, INSTRUCTION, HIDDEN = credentials.FLAG, "instruction-like", "hidden characters"  # the flags of a memory
REMOVED = secret_removal.FLAG


def flags(*texts: str, prose: str | None = None, by_a_person: bool = False) -> list[str]:
    """Return the flags of texts that need a review. A person's teaching is an instruction by nature and not flagged as
    one. `prose`: the same texts as they are searched for instructions, where that is less than all of them.
    """
    text = "\n".join(text for text in texts if text)
    matches = {
        SECRET: credentials.is_in(text),
        REMOVED: secret_removal.is_in(text),
        INSTRUCTION: not by_a_person and prompt_injection.is_in(text if prose is None else prose),
        HIDDEN: invisible.is_in(text) or ciphers.is_in(text),
    }
    return [flag for flag, match in matches.items() if match]


def as_shown(stored_flags: list[str], *texts: str | None) -> list[str]:
    """The stored flags, and INSTRUCTION where today's scan finds one in these texts."""
    is_order = INSTRUCTION not in stored_flags and prompt_injection.is_in("\n".join(filter(None, texts)))
    return [*stored_flags, INSTRUCTION] if is_order else stored_flags
